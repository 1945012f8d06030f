package tailrace.core.batch;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Finds line ends eight bytes at a time: a byte of a word is 0 where subtracting 1 borrows from it and it has no high bit.
 *
 * @see <a href="https://graphics.stanford.edu/~seander/bithacks.html#ZeroInWord">Bit Twiddling Hacks</a>
 */
public final class Newlines {
    private static final long NEWLINES = 0x0A0A0A0A0A0A0A0AL;
    private static final long LOW_BITS = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private Newlines() {}

    /** Not 0 if there is one among these eight bytes; its lowest bit is in the first of them, if the word is little-endian. */
    private static long in(long word) {
        long differs = word ^ NEWLINES;
        return (differs - LOW_BITS) & ~differs & HIGH_BITS;
    }

    /** Where the first newline in {@code [from, to)} of an array is, or -1. */
    public static int first(byte[] bytes, int from, int to) {
        int i = from;
        while (to - i >= Long.BYTES) {
            long found = in((long) WORD.get(bytes, i));
            if (found != 0) {
                return i + Long.numberOfTrailingZeros(found) / Byte.SIZE;
            }
            i += Long.BYTES;
        }
        for (; i < to; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }

    /** Where the last newline of the first so many bytes is, or -1. */
    public static long last(MemorySegment view, int length) {
        int i = length;
        while (i >= Long.BYTES && in(view.get(JAVA_LONG_UNALIGNED, i - Long.BYTES)) == 0) {
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
