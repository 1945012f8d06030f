package tailrace.core.deliver;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import tailrace.core.batch.Newlines;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;

/** Cuts slices, one behind the other, into lines, or records with their length before them, or portions. */
final class Cutter {
    private static final int BUFFER_BYTES = 256 << 10;
    private static final byte[] NOTHING = {};

    private final InputStream in;
    private final int maxBytes;
    private final boolean keepsRaw;
    private byte[] buffer = new byte[BUFFER_BYTES];

    /** What is read and not taken: {@code [from, to)} of the buffer. */
    private int from;

    private int to;

    /**
     * @param in the slices' bytes
     * @param maxBytes of a piece, line ends and lengths not counted
     * @param keepsRaw whether pieces have their bytes as they are in the file, too
     */
    Cutter(InputStream in, int maxBytes, boolean keepsRaw) {
        this.in = in;
        this.maxBytes = maxBytes;
        this.keepsRaw = keepsRaw;
    }

    /** The whole slice is one record. */
    void portions(Slice slice, Piece.Taker taker) throws IOException, DeliveryException, SourceChangedException {
        portions(slice, slice.extent().from(), slice.extent().to(), taker);
    }

    private void portions(Slice slice, long start, long end, Piece.Taker taker)
            throws IOException, DeliveryException, SourceChangedException {
        int part = 0;
        for (long offset = start; offset < end; part++) {
            int length = (int) Math.min(end - offset, maxBytes);
            fill(length);
            byte[] content = take(length);
            offset += length;
            taker.take(Piece.of(
                    slice, offset - length, part, offset == end, content, length, keepsRaw ? content : NOTHING));
        }
    }

    /** Line ends are LF or CRLF; what the slice ends with is a line, too. */
    void lines(Slice slice, Encoding encoding, Piece.Taker taker)
            throws IOException, DeliveryException, SourceChangedException {
        int unit = encoding.unitBytes();
        int most = maxBytes - maxBytes % unit;
        long offset = slice.extent().from();
        int part = 0;
        while (offset < slice.extent().to()) {
            int lead = (int) (offset % unit); // of a character whose beginning was sent before
            int length =
                    lengthOfLine((int) Math.min(slice.extent().to() - offset, lead + most + 2L * unit), lead, encoding);
            int text = withoutEnd(length, lead, encoding);
            boolean fits = text - lead <= most;
            int taken = fits ? length : lead + most;
            byte[] content = Arrays.copyOfRange(buffer, from, from + (fits ? text : taken));
            taker.take(Piece.of(slice, offset, part, fits, content, taken, raw(taken)));
            from += taken;
            offset += taken;
            part = fits ? 0 : part + 1;
        }
    }

    private byte[] raw(int length) {
        return keepsRaw ? Arrays.copyOfRange(buffer, from, from + length) : NOTHING;
    }

    private byte[] take(int length) {
        byte[] taken = Arrays.copyOfRange(buffer, from, from + length);
        from += length;
        return taken;
    }

    /** How many of the next bytes are before the line's end, if there is one. */
    private int withoutEnd(int length, int lead, Encoding encoding) {
        int unit = encoding.unitBytes();
        int end = length;
        if (end - lead >= unit && encoding.isAt(buffer, from + end - unit, '\n')) {
            end -= unit;
            if (end - lead >= unit && encoding.isAt(buffer, from + end - unit, '\r')) {
                end -= unit;
            }
        }
        return end;
    }

    /** How long the next line is with its end, or so far as it is looked at. */
    private int lengthOfLine(int most, int lead, Encoding encoding) throws IOException {
        int unit = encoding.unitBytes();
        int looked = lead;
        while (true) {
            int available = Math.min(most, to - from);
            if (unit == 1) {
                int newline = Newlines.first(buffer, from + looked, from + available);
                if (newline >= 0) {
                    return newline - from + 1;
                }
                looked = available;
            }
            for (; looked + unit <= available; looked += unit) {
                if (encoding.isAt(buffer, from + looked, '\n')) {
                    return looked + unit;
                }
            }
            if (available == most) {
                return most;
            }
            fill(available + 1);
        }
    }

    /**
     * Records as {@link Framing.Length} has them. What belongs to one that began in another slice is a record by itself, and
     * what the slice ends with if that is none.
     */
    void lengths(Slice slice, Framing.Prefix prefix, Piece.Taker taker)
            throws IOException, DeliveryException, SourceChangedException {
        long offset = slice.extent().from() + slice.extent().headBytes();
        portions(slice, slice.extent().from(), offset, taker);
        while (offset < slice.extent().to()) {
            long left = slice.extent().to() - offset;
            int look = (int) Math.min(left, prefix.mostBytes());
            fill(look);
            Optional<Framing.Prefix.Read> read = prefix.read(buffer, from, from + look);
            long end = read.map(found -> found.endOf(0)).orElse(Long.MAX_VALUE);
            if (end > left) {
                portions(slice, offset, slice.extent().to(), taker);
                return;
            }
            record(slice, offset, read.orElseThrow(), taker);
            offset += end;
        }
    }

    private void record(Slice slice, long start, Framing.Prefix.Read read, Piece.Taker taker)
            throws IOException, DeliveryException, SourceChangedException {
        long taken = 0;
        int part = 0;
        do {
            int framing = part == 0 ? read.prefixBytes() : 0;
            int length = (int) Math.min(read.recordBytes() - taken, maxBytes);
            fill(framing + length);
            byte[] raw = raw(framing + length);
            from += framing;
            byte[] content = take(length);
            boolean isAll = taken + length == read.recordBytes();
            long offset = part == 0 ? start : start + read.prefixBytes() + taken;
            taker.take(Piece.of(slice, offset, part, isAll, content, framing + length, raw));
            taken += length;
            part++;
        } while (taken < read.recordBytes());
    }

    /** Reads until so many bytes are there to be taken. */
    private void fill(int bytes) throws IOException {
        while (to - from < bytes) {
            if (from > 0 && (from == to || buffer.length - from < bytes)) {
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
}
