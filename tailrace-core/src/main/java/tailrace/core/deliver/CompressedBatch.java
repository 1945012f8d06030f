package tailrace.core.deliver;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.core.batch.RecordEnds;
import tailrace.core.track.Guard;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * A batch as its {@link tailrace.core.batch.Codec} makes it, in a file without a name: a sink must know how long it is
 * before its first byte, may send it in parts side by side, and may try again. The file is gone with this object, mostly
 * before the kernel has written any of it to the disk.
 */
final class CompressedBatch implements AutoCloseable {
    private static final int FILE_MODE = 0600;

    private final Kernel kernel;
    private final FileCalls files;
    private final Fd file;
    private long lengthBytes;

    private CompressedBatch(Kernel kernel, Fd file) {
        this.kernel = kernel;
        this.files = kernel.files();
        this.file = file;
    }

    /**
     * Compresses a batch.
     *
     * @param folder where there is room for it
     * @param raw its bytes, read in blocks of {@link Compression#BLOCK_BYTES}
     * @throws LinuxException of reading, or of writing in the folder: ENOSPC, EDQUOT
     */
    static CompressedBatch of(Kernel kernel, LinuxPath folder, Batch batch, BatchContent raw)
            throws LinuxException, SourceChangedException {
        var compressed = new CompressedBatch(kernel, unnamed(kernel, folder, batch));
        try {
            var compression = Compression.of(batch.codec());
            raw.read(block -> {
                int taken = frameLength(block);
                compressed.append(compression.compress(block.asSlice(0, taken)));
                return taken;
            });
            return compressed;
        } catch (LinuxException | SourceChangedException | RuntimeException e) {
            compressed.close();
            throw e;
        }
    }

    private static Fd unnamed(Kernel kernel, LinuxPath folder, Batch batch) throws LinuxException {
        try {
            return kernel.files()
                    .open(Fd.CURRENT_DIRECTORY, folder, OpenHow.temporary(FILE_MODE))
                    .orElseThrow();
        } catch (LinuxException e) {
            if (e.errno() != Errno.EOPNOTSUPP && e.errno() != Errno.EISDIR && e.errno() != Errno.EINVAL) {
                throw e;
            }
            LinuxPath name = folder.resolve("compressed-" + batch.id()); // where O_TMPFILE is not known
            kernel.names().unlink(Fd.CURRENT_DIRECTORY, name);
            Fd file = kernel.files()
                    .open(Fd.CURRENT_DIRECTORY, name, OpenHow.createNew(FILE_MODE))
                    .orElseThrow();
            kernel.names().unlink(Fd.CURRENT_DIRECTORY, name);
            return file;
        }
    }

    /** A full block ends behind its last line, so that each frame can be read alone. */
    private static int frameLength(MemorySegment block) {
        int length = (int) block.byteSize();
        if (length == Compression.BLOCK_BYTES) {
            long newline = RecordEnds.lastNewline(block, length);
            return newline < 0 ? length : (int) newline + 1;
        }
        return length;
    }

    private void append(MemorySegment frame) throws LinuxException {
        long at = 0;
        while (at < frame.byteSize()) {
            at += files.pwrite(file, frame.asSlice(at), lengthBytes + at);
        }
        lengthBytes += at;
    }

    /**
     * Its bytes, to be lent to a sink while this is open.
     *
     * @param buffer the calling thread's
     */
    BatchContent content(SafeOpen open, Batch batch, Integrity integrity, AlignedBuffer buffer) throws LinuxException {
        Extent first = batch.extents().getFirst();
        int guard = Guard.at(files, file, lengthBytes, buffer);
        var all = new Extent(first.file(), first.identity(), first.path(), 0, 0, lengthBytes, 0, guard);
        var slice = new Slice(all, first.path(), Optional.of(file));
        return new BatchContent(kernel, open, List.of(slice), integrity, buffer);
    }

    @Override
    public void close() throws LinuxException {
        files.close(file);
    }
}
