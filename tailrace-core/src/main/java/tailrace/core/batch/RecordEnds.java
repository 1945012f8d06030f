package tailrace.core.batch;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/** Finds where records end, from behind, so that a batch never ends within one. A record is a line. */
public final class RecordEnds {
    private static final long NEWLINES = 0x0A0A0A0A0A0A0A0AL;
    private static final long LOW_BITS = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    /** The first look: nearly every line ends within it. */
    private static final int FIRST_BYTES = 4096;

    private final FileCalls files;
    private final AlignedBuffer buffer;

    RecordEnds(FileCalls files, AlignedBuffer buffer) {
        this.files = files;
        this.buffer = buffer;
    }

    /**
     * The end of the last record in {@code [from, to)} of a file.
     *
     * @return the offset behind its newline, or -1 if none ends there
     */
    long last(Fd fd, long from, long to) throws LinuxException {
        long end = to;
        long chunk = FIRST_BYTES;
        while (end > from) {
            long start = Math.max(from, end - chunk);
            MemorySegment view = buffer.at(start, end - start);
            int read = 0;
            while (read < view.byteSize()) {
                int n = files.pread(fd, view.asSlice(read), start + read);
                if (n == 0) {
                    break; // truncated meanwhile: the guard will tell
                }
                read += n;
            }
            long found = lastNewline(view, read);
            if (found >= 0) {
                return start + found + 1;
            }
            end = start;
            chunk = buffer.capacityBytes();
        }
        return -1;
    }

    /** Where the last newline of the first so many bytes is, or -1. Eight bytes at a time. */
    public static long lastNewline(MemorySegment view, int length) {
        int i = length;
        while (i >= Long.BYTES) {
            long word = view.get(JAVA_LONG_UNALIGNED, i - Long.BYTES) ^ NEWLINES;
            if (((word - LOW_BITS) & ~word & HIGH_BITS) != 0) {
                break;
            }
            i -= Long.BYTES;
        }
        while (--i >= 0) {
            if (view.get(JAVA_BYTE, i) == '\n') {
                return i;
            }
        }
        return -1;
    }
}
