package tailrace.core.watch;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** How the text in the files of a source is encoded: where its lines end, and what sinks of records make UTF-8 of. */
public enum Encoding {
    UTF_8("utf-8", StandardCharsets.UTF_8, 1),
    /** ISO 8859-1. */
    LATIN_1("latin-1", StandardCharsets.ISO_8859_1, 1),
    UTF_16LE("utf-16le", StandardCharsets.UTF_16LE, 2),
    UTF_16BE("utf-16be", StandardCharsets.UTF_16BE, 2);

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    private final String text;
    private final Charset charset;
    private final int unitBytes;

    Encoding(String text, Charset charset, int unitBytes) {
        this.text = text;
        this.charset = charset;
        this.unitBytes = unitBytes;
    }

    /** As in the configuration. */
    public String text() {
        return text;
    }

    /** @throws IllegalArgumentException if there is none of that name */
    public static Encoding of(String text) {
        for (Encoding encoding : values()) {
            if (encoding.text.equals(text)) {
                return encoding;
            }
        }
        throw new IllegalArgumentException("there is no encoding '" + text + "'");
    }

    public Charset charset() {
        return charset;
    }

    /** Characters begin at multiples of this, counted from the start of the file. */
    public int unitBytes() {
        return unitBytes;
    }

    /** Whether the unit that begins there is a character of ASCII. */
    public boolean isAt(byte[] bytes, int at, char ascii) {
        return switch (this) {
            case UTF_8, LATIN_1 -> bytes[at] == ascii;
            case UTF_16LE -> bytes[at] == ascii && bytes[at + 1] == 0;
            case UTF_16BE -> bytes[at] == 0 && bytes[at + 1] == ascii;
        };
    }

    /** The same text as UTF-8, without a byte order mark that UTF-16 begins with. What is no text has U+FFFD in its place. */
    public byte[] toUtf8(byte[] bytes) {
        if (this == UTF_8) {
            return bytes;
        }
        String decoded = new String(bytes, charset);
        boolean marked = unitBytes > 1 && !decoded.isEmpty() && decoded.charAt(0) == BYTE_ORDER_MARK;
        return (marked ? decoded.substring(1) : decoded).getBytes(StandardCharsets.UTF_8);
    }
}
