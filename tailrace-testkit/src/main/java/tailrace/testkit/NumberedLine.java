package tailrace.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A line that can be recognised wherever it turns up: {@code <writer> <number> <padding> <CRC32C>\n}.
 *
 * @param writer without spaces
 * @param number from 0
 */
public record NumberedLine(String writer, long number) {
    private static final int CRC_DIGITS = 8;
    private static final String PADDING =
            "click campaign=8f2a referrer=https://example.org/a/long/enough/path?with=parameters price=0.00042 "
                    .repeat(4);

    /** The line in bytes, newline included, as long as asked for or as it must be. */
    public byte[] bytes(int lengthBytes) {
        String head = writer + " " + number + " ";
        int padding = Math.clamp(lengthBytes - head.length() - CRC_DIGITS - 2L, 1, PADDING.length());
        String body = head + PADDING.substring(0, padding) + " ";
        return (body + "%08x\n".formatted(crc(body))).getBytes(US_ASCII);
    }

    /**
     * Reads a line.
     *
     * @param line without its newline
     * @return empty if it is not whole
     */
    public static Optional<NumberedLine> parse(byte[] line) {
        String text = new String(line, ISO_8859_1);
        int crcAt = text.length() - CRC_DIGITS;
        String[] parts = text.split(" ", 3);
        if (crcAt < 1 || parts.length < 3) {
            return Optional.empty();
        }
        try {
            int expected = Integer.parseUnsignedInt(text.substring(crcAt), 16);
            return crc(text.substring(0, crcAt)) == expected
                    ? Optional.of(new NumberedLine(parts[0], Long.parseLong(parts[1])))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static int crc(String text) {
        var crc = new CRC32C();
        crc.update(text.getBytes(ISO_8859_1));
        return (int) crc.getValue();
    }
}
