package tailrace.core.deliver;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tailrace.core.batch.Extent;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/**
 * A batch, or a part of it, for a client that pulls its bytes. They are read into an aligned buffer, which stays in the
 * second-level cache, and copied from there into the client's array. A critical call would save that copy, but the array may
 * lie where the kernel's own is five times slower (see {@link AlignedBuffer}), and nothing could collect garbage while a disk
 * is waited for. The last ones are handed over only when all files that were read are still what was sealed: a receiver
 * that was promised a length can not complete what has changed.
 */
final class BatchStream extends InputStream {
    private static final int MOST_BYTES = 256 << 10;

    private static final ThreadLocal<AlignedBuffer> BUFFER =
            ThreadLocal.withInitial(() -> new AlignedBuffer(Arena.ofAuto(), MOST_BYTES));

    private final FileCalls files;
    private final SliceAccess access;
    private final List<Slice> slices;
    private final long to;
    private long at;

    /** The slice that is being read, where in the batch it begins, and its file. */
    private int index = -1;

    private long begin;
    private long end;
    private @Nullable Fd fd;
    private final List<Slice> touched = new ArrayList<>();

    BatchStream(FileCalls files, SliceAccess access, List<Slice> slices, long from, long to) {
        this.files = files;
        this.access = access;
        this.slices = slices;
        this.at = from;
        this.to = to;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] array, int offset, int length) throws IOException {
        if (at >= to) {
            return -1;
        }
        if (length == 0) {
            return 0;
        }
        while (at >= end) {
            next();
        }
        Fd file = fd;
        Extent extent = slices.get(index).extent();
        int most = (int) Math.min(Math.min(length, MOST_BYTES), Math.min(end, to) - at);
        long position = extent.from() + at - begin;
        MemorySegment bytes = BUFFER.get().at(position, most);
        int n = file == null ? 0 : files.pread(file, bytes, position);
        if (n == 0) {
            throw changed(extent);
        }
        MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, array, offset, n);
        at += n;
        if (at >= to) {
            check();
        }
        return n;
    }

    @Override
    public int available() {
        return (int) Math.min(MOST_BYTES, to - at);
    }

    private void next() throws LinuxException {
        close();
        index++;
        Slice slice = slices.get(index);
        begin = end;
        end += slice.extent().lengthBytes();
        if (end > at) {
            fd = access.reach(slice);
            touched.add(slice);
        }
    }

    private void check() throws IOException {
        for (Slice slice : touched) {
            if (!access.isThere(slice)) {
                throw changed(slice.extent());
            }
        }
    }

    private static IOException changed(Extent extent) {
        var cause = new SourceChangedException(List.of(extent));
        return new IOException(cause.getMessage(), cause);
    }

    @Override
    public void close() throws LinuxException {
        if (index >= 0 && fd != null) {
            access.release(slices.get(index), fd);
            fd = null;
        }
    }
}
