package tailrace.core.batch;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.NavigableSet;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/** Finds where records end, from behind, so that a batch never ends within one. */
final class RecordEnds {
    /** The first look: nearly every line ends within it. */
    private static final int FIRST_BYTES = 4096;

    /** It takes a while to find out: ask again. */
    static final long UNKNOWN = -2;

    private final FileCalls files;
    private final AlignedBuffer buffer;
    private final Framing framing;
    private final Encoding encoding;

    RecordEnds(FileCalls files, AlignedBuffer buffer, Framing framing, Encoding encoding) {
        this.files = files;
        this.buffer = buffer;
        this.framing = framing;
        this.encoding = encoding;
    }

    /**
     * The end of the last record in {@code [from, to)} of a file.
     *
     * @param searchedTo up to here no line ends
     * @param starts where records begin that have their length before them, as {@link LengthWalk} knows them
     * @return the offset behind it, -1 if none ends there, or {@link #UNKNOWN}
     */
    long last(Fd fd, long from, long searchedTo, long to, NavigableSet<Long> starts) throws LinuxException {
        return switch (framing) {
            case Framing.Lines lines ->
                encoding.unitBytes() == 1 ? lastLine(fd, searchedTo, to) : lastWideLine(fd, searchedTo & ~1L, to & ~1L);
            case Framing.Length(Framing.Prefix prefix) -> {
                long start = new LengthWalk(files, buffer, prefix, starts).lastStart(fd, to);
                yield start > from || start == UNKNOWN ? start : -1;
            }
            case Framing.WholeFile wholeFile -> -1;
            case Framing.Raw raw -> to > from ? to : -1;
            case Framing.Cri cri -> lastOfLines(fd, from, to, RecordEnds::endsCriRecord);
            case Framing.Multiline multiline ->
                lastOfLines(
                        fd,
                        from,
                        to,
                        (bytes, before, at, end) ->
                                at < end && multiline.isBegun(bytes, at, lengthOfLine(bytes, at, end)));
        };
    }

    /**
     * How many of the first bytes of {@code [from, to)} belong to a record that began before, or {@link #UNKNOWN}.
     */
    long headBytes(Fd fd, long from, long to, NavigableSet<Long> starts) throws LinuxException {
        return framing instanceof Framing.Length(Framing.Prefix prefix)
                ? new LengthWalk(files, buffer, prefix, starts).headBytes(fd, from, to)
                : 0;
    }

    /** Whether a record ends between two lines. */
    private interface Boundary {
        /**
         * Decides.
         *
         * @param before where the line before begins
         * @param at where the line behind begins
         * @param end of what was read, perhaps within that line
         */
        boolean isBetween(byte[] bytes, int before, int at, int end);
    }

    private static int lengthOfLine(byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] != '\n') {
            at++;
        }
        return at - from;
    }

    private static boolean endsCriRecord(byte[] bytes, int before, int at, int end) {
        return !CriLine.of(bytes, before, at - 1).isPartial();
    }

    /** As {@link #lastLine}, where only some lines end a record. Lines longer than half a buffer end one, too. */
    private long lastOfLines(Fd fd, long from, long to, Boundary boundary) throws LinuxException {
        int window = Math.toIntExact(buffer.capacityBytes());
        long end = to;
        while (end > from) {
            long start = Math.max(from, end - window);
            MemorySegment view = buffer.at(start, end - start);
            byte[] bytes = view.asSlice(0, files.preadFully(fd, view, start)).toArray(JAVA_BYTE);
            int found = lastIn(bytes, start == from, boundary);
            if (found > 0) {
                return start + found;
            }
            end = start == from ? from : start + window / 2; // what began before this window is whole in the next
        }
        return -1;
    }

    /** The last boundary among those whose line before is known to its start; 0 if there is none. */
    private static int lastIn(byte[] bytes, boolean isStart, Boundary boundary) {
        int at = bytes.length;
        while (at > 0 && bytes[at - 1] != '\n') {
            at--;
        }
        while (at > 0) {
            int before = at - 1;
            while (before > 0 && bytes[before - 1] != '\n') {
                before--;
            }
            if (before == 0 && !isStart) {
                return at > bytes.length / 2 ? at : 0;
            }
            if (boundary.isBetween(bytes, before, at, bytes.length)) {
                return at;
            }
            at = before;
        }
        return 0;
    }

    /** As {@link #lastLine}, of characters of two bytes. Both offsets are even. */
    private long lastWideLine(Fd fd, long from, long to) throws LinuxException {
        long end = to;
        while (end > from) {
            long start = Math.max(from, end - buffer.capacityBytes());
            MemorySegment view = buffer.at(start, end - start);
            byte[] bytes = view.asSlice(0, files.preadFully(fd, view, start)).toArray(JAVA_BYTE);
            for (int at = (bytes.length & ~1) - 2; at >= 0; at -= 2) {
                if (encoding.isAt(bytes, at, '\n')) {
                    return start + at + 2;
                }
            }
            end = start;
        }
        return -1;
    }

    private long lastLine(Fd fd, long from, long to) throws LinuxException {
        long end = to;
        long chunk = FIRST_BYTES;
        while (end > from) {
            long start = Math.max(from, end - chunk);
            MemorySegment view = buffer.at(start, end - start);
            int read = files.preadFully(fd, view, start);
            long found = Newlines.last(view, read);
            if (found >= 0) {
                return start + found + 1;
            }
            end = start;
            chunk = buffer.capacityBytes();
        }
        return -1;
    }
}
