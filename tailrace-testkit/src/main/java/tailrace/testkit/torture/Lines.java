package tailrace.testkit.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.zip.CRC32C;

/** Numbered lines: what a line says follows from its number, so any byte of it can be checked. */
final class Lines {
    /** No line is longer. */
    static final int MAX_BYTES = 110;

    /** Where its number ends. */
    static final int ID_END = 9;

    private Lines() {}

    static byte[] of(int id) {
        var text = new StringBuilder("L%08d ".formatted(id));
        int padding = 24 + Math.floorMod(id * 7919, 60);
        for (int i = 0; i < padding; i++) {
            text.append((char) ('a' + Math.floorMod(((id * 31 + i) * 0x9E3779B1) >>> 16, 26)));
        }
        var crc = new CRC32C();
        crc.update(text.toString().getBytes(US_ASCII));
        return text.append(" %08x\n".formatted((int) crc.getValue())).toString().getBytes(US_ASCII);
    }

    /** Without the unfinished line at the end. */
    static byte[] whole(byte[] bytes) {
        int at = bytes.length;
        while (at > 0 && bytes[at - 1] != '\n') {
            at--;
        }
        return Arrays.copyOf(bytes, at);
    }

    /** The number of the line that begins here, or -1. */
    static int idAt(byte[] bytes, int at) {
        if (at + ID_END > bytes.length || bytes[at] != 'L') {
            return -1;
        }
        int id = 0;
        for (int i = at + 1; i < at + ID_END; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return -1;
            }
            id = 10 * id + bytes[i] - '0';
        }
        return id;
    }
}
