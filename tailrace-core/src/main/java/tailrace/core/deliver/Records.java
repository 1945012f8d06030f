package tailrace.core.deliver;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import tailrace.core.watch.Framing;

/**
 * Cuts a batch into its records, for sinks that carry records: what they are, the {@link Framing} of its source says. They
 * come without the end of their line (LF or CRLF). What an extent ends with is a record, too, if it is unfinished: it was
 * longer than a batch, or did not grow for long.
 */
public final class Records {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final int MOST_PREFIX_BYTES = 128;

    private final InputStream in;
    private final int maxBytes;
    private byte[] buffer = new byte[BUFFER_BYTES];

    /** What is read and not taken: {@code [from, to)} of the buffer. */
    private int from;

    private int to;

    private Records(InputStream in, int maxBytes) {
        this.in = in;
        this.maxBytes = maxBytes;
    }

    /** Gets the records, one after the other. */
    public interface Taker {
        /**
         * Takes a record.
         *
         * @param slice where it comes from
         * @param offset of its first byte in that file
         * @param record its bytes, for the taker to keep
         */
        void take(Slice slice, long offset, byte[] record) throws IOException;
    }

    /**
     * Hands over all records of a batch. The last ones come only if the files are still what was sealed.
     *
     * @param maxBytes a longer record comes in parts, one behind the other
     * @throws IOException of the taker, or of reading; see {@link SourceChangedException#behind}
     */
    public static void each(BatchContent content, Framing framing, int maxBytes, Taker taker) throws IOException {
        try (InputStream in = content.stream(0, content.lengthBytes())) {
            boolean hasPrefix = framing instanceof Framing.Cri; // which does not count
            var records = new Records(in, maxBytes + (hasPrefix ? MOST_PREFIX_BYTES : 0));
            for (Slice slice : content.slices()) {
                switch (framing) {
                    case Framing.Lines lines -> records.cut(slice, taker);
                    case Framing.Raw raw -> records.portion(slice, taker);
                    case Framing.Cri cri -> joined(records, slice, new JoinedCriLines(maxBytes, taker));
                    case Framing.Multiline multiline ->
                        joined(records, slice, new JoinedLines(multiline, maxBytes, taker));
                }
            }
        }
    }

    /** Puts lines together; what is not ended with the slice is ended then. */
    interface Joining extends Taker {
        void end(Slice slice) throws IOException;
    }

    private static void joined(Records records, Slice slice, Joining joining) throws IOException {
        records.cut(slice, joining);
        joining.end(slice);
    }

    /** As many bytes at a time as a record may have. */
    private void portion(Slice slice, Taker taker) throws IOException {
        long offset = slice.extent().from();
        while (offset < slice.extent().to()) {
            int length = (int) Math.min(slice.extent().to() - offset, maxBytes);
            while (to - from < length) {
                fill();
            }
            taker.take(slice, offset, Arrays.copyOfRange(buffer, from, from + length));
            from += length;
            offset += length;
        }
    }

    private void cut(Slice slice, Taker taker) throws IOException {
        long offset = slice.extent().from();
        while (offset < slice.extent().to()) {
            int most = (int) Math.min(slice.extent().to() - offset, maxBytes + 2L);
            int length = lengthOfNext(most);
            int text = withoutEnd(length);
            boolean fits = text <= maxBytes;
            taker.take(slice, offset, Arrays.copyOfRange(buffer, from, from + (fits ? text : maxBytes)));
            int taken = fits ? length : maxBytes;
            from += taken;
            offset += taken;
        }
    }

    /** How many of the next bytes are before the line's end, if there is one. */
    private int withoutEnd(int length) {
        if (buffer[from + length - 1] != '\n') {
            return length;
        }
        return length > 1 && buffer[from + length - 2] == '\r' ? length - 2 : length - 1;
    }

    /** How long the next record is with its end, or so far as it is looked at. */
    private int lengthOfNext(int most) throws IOException {
        int looked = 0;
        while (true) {
            int available = Math.min(most, to - from);
            for (int i = looked; i < available; i++) {
                if (buffer[from + i] == '\n') {
                    return i + 1;
                }
            }
            if (available == most) {
                return most;
            }
            looked = available;
            fill();
        }
    }

    private void fill() throws IOException {
        if (from > 0 && (from == to || to == buffer.length)) {
            System.arraycopy(buffer, from, buffer, 0, to - from);
            to -= from;
            from = 0;
        }
        if (to == buffer.length) {
            buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        int n = in.read(buffer, to, buffer.length - to);
        if (n < 0) {
            throw new IOException("the batch ended before its extents did");
        }
        to += n;
    }
}
