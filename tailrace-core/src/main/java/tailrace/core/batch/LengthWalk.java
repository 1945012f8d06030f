package tailrace.core.batch;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.NavigableSet;
import tailrace.core.watch.Framing;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/**
 * Walks over records that have their length before them, from one that is known to begin somewhere; at the latest from
 * the start of the file, as after a restart. What was met is remembered, some places of it, for the next walk.
 */
final class LengthWalk {
    /** Starts that are this far apart are kept. */
    private static final long SPACING_BYTES = 16L << 20;

    /** A walk reads no more at a time: the others want to go on, too. */
    private static final long MOST_BYTES = 64L << 20;

    /** So much is read where records are long, */
    private static final int LEAP_BYTES = 64;

    /** which counts as so much. */
    private static final int LEAP_COST_BYTES = 4096;

    private final FileCalls files;
    private final AlignedBuffer buffer;
    private final Framing.Prefix prefix;
    private final NavigableSet<Long> starts;
    private byte[] window = new byte[0];
    private long windowStart;
    private long windowBytesRead;

    /** @param starts known ones, to which some are added */
    LengthWalk(FileCalls files, AlignedBuffer buffer, Framing.Prefix prefix, NavigableSet<Long> starts) {
        this.files = files;
        this.buffer = buffer;
        this.prefix = prefix;
        this.starts = starts;
    }

    /** The last offset up to {@code to} where a record begins, or {@link RecordEnds#UNKNOWN}. */
    long lastStart(Fd fd, long to) throws LinuxException {
        long at = known(to);
        while (windowBytesRead <= MOST_BYTES) {
            long end = end(fd, at, to);
            if (end > to) {
                remember(at);
                return at;
            }
            at = end;
            rememberIfFar(at);
        }
        remember(at);
        return RecordEnds.UNKNOWN;
    }

    /** How many bytes of {@code [from, to)} are before the first start, or {@link RecordEnds#UNKNOWN}. */
    long headBytes(Fd fd, long from, long to) throws LinuxException {
        long at = known(from);
        while (windowBytesRead <= MOST_BYTES) {
            if (at >= from) {
                return Math.min(at, to) - from;
            }
            long end = end(fd, at, to);
            if (end > from) {
                return Math.min(end, to) - from;
            }
            at = end;
            rememberIfFar(at);
        }
        remember(at);
        return RecordEnds.UNKNOWN;
    }

    private void rememberIfFar(long start) {
        if (start - known(start) >= SPACING_BYTES) {
            starts.add(start);
        }
    }

    private long known(long most) {
        Long known = starts.floor(most);
        return known == null ? 0 : known;
    }

    /** Where the record that begins there ends; far away if its prefix is not whole before {@code to}. */
    private long end(Fd fd, long start, long to) throws LinuxException {
        if (start >= to) {
            return Long.MAX_VALUE;
        }
        boolean isRead = start >= windowStart && start + prefix.mostBytes() <= windowStart + window.length;
        if (!isRead) {
            boolean leaps = start > windowStart + window.length + buffer.capacityBytes(); // only prefixes are read then
            long length = Math.min(to - start, leaps ? LEAP_BYTES : buffer.capacityBytes());
            MemorySegment view = buffer.at(start, length);
            window = view.asSlice(0, files.preadFully(fd, view, start)).toArray(JAVA_BYTE);
            windowStart = start;
            windowBytesRead += Math.max(LEAP_COST_BYTES, window.length);
        }
        int from = Math.toIntExact(start - windowStart);
        int most = (int) Math.min(window.length, to - windowStart);
        return prefix.read(window, from, most).map(found -> found.endOf(start)).orElse(Long.MAX_VALUE);
    }

    /** Of those close to each other only the last is kept. */
    private void remember(long start) {
        Long before = starts.lower(start);
        Long beforeThat = before == null ? null : starts.lower(before);
        long base = beforeThat == null ? 0 : beforeThat;
        if (before != null && start - base < SPACING_BYTES) {
            starts.remove(before);
        }
        starts.add(start);
    }
}
