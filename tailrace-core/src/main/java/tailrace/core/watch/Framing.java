package tailrace.core.watch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a record is in the files of a source: batches end behind one, and sinks of records get them one by one. */
public sealed interface Framing {
    /** A line, which ends with LF or CRLF. */
    record Lines() implements Framing {}

    /** There are none: a batch may end anywhere. */
    record Raw() implements Framing {}

    /**
     * A line of a Kubernetes container, {@code TIME stdout|stderr P|F CONTENT}: those marked P go on in the next of the
     * same stream.
     *
     * @see <a href="https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md">CRI
     *     logging</a>
     */
    record Cri() implements Framing {}

    /**
     * Lines that belong together.
     *
     * @param pattern is sought in each line, of which only the beginning is looked at
     * @param begins whether a line that has it begins a record; if not, it goes on with the one before
     */
    record Multiline(Pattern pattern, boolean begins) implements Framing {
        /** Only so much of a line is looked at. */
        private static final int MOST_BYTES = 1024;

        /** Whether a record begins with this line; of a part of an array. */
        public boolean isBegun(byte[] bytes, int from, int length) {
            String line = new String(bytes, from, Math.min(length, MOST_BYTES), ISO_8859_1);
            return pattern.matcher(line).find() == begins;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Multiline that
                    && begins == that.begins
                    && pattern.pattern().equals(that.pattern.pattern());
        }

        @Override
        public int hashCode() {
            return pattern.pattern().hashCode();
        }
    }

    /**
     * A number, and so many bytes.
     *
     * @param prefix how the number is written
     */
    record Length(Prefix prefix) implements Framing {}

    /** All that a file has when nobody writes to it any more. */
    record WholeFile() implements Framing {}

    /** How the length before a record is written. */
    enum Prefix {
        U32_BE,
        U32_LE,
        /** Seven bits a byte, the lowest first; as protobuf writes them. */
        VARINT;

        private static final int MOST_VARINT_BYTES = 10;

        /** What a prefix says: how long it is and how long the record behind it. */
        public record Read(int prefixBytes, long recordBytes) {
            /** Where the record that begins at an offset ends. */
            public long endOf(long start) {
                long end = start + prefixBytes + recordBytes;
                return recordBytes < 0 || end < 0 ? Long.MAX_VALUE : end;
            }
        }

        /** So many bytes are enough to read any. */
        public int mostBytes() {
            return this == VARINT ? MOST_VARINT_BYTES : Integer.BYTES;
        }

        /** Reads the prefix that begins a part of an array; empty if that is too short to tell. */
        public Optional<Read> read(byte[] bytes, int from, int to) {
            return switch (this) {
                case U32_BE, U32_LE -> to - from < Integer.BYTES ? Optional.empty() : Optional.of(u32(bytes, from));
                case VARINT -> varint(bytes, from, to);
            };
        }

        private Read u32(byte[] bytes, int from) {
            int number = ByteBuffer.wrap(bytes, from, Integer.BYTES)
                    .order(this == U32_BE ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN)
                    .getInt();
            return new Read(Integer.BYTES, Integer.toUnsignedLong(number));
        }

        /** One of more than ten bytes is none: a record begins there that never ends. */
        private static Optional<Read> varint(byte[] bytes, int from, int to) {
            long number = 0;
            for (int i = 0; i < MOST_VARINT_BYTES; i++) {
                if (from + i >= to) {
                    return Optional.empty();
                }
                number |= (bytes[from + i] & 0x7FL) << (7 * i);
                if (bytes[from + i] >= 0) {
                    return Optional.of(new Read(i + 1, number));
                }
            }
            return Optional.of(new Read(MOST_VARINT_BYTES, -1));
        }
    }

    Framing LINES = new Lines();
}
