package tailrace.core.deliver;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.CopyCalls;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/**
 * Copies between files: inside the kernel by copy_file_range, or sendfile where the two filesystems differ; through a
 * buffer where neither can, or where the bytes must be seen. A source that turns out shorter ends the copy; the caller checks.
 */
final class FileCopier {
    private static final long STEP_BYTES = 16L << 20;

    /** How close behind a page boundary the kernel's copy is slow (see {@link AlignedBuffer}), doubled for safety. */
    private static final int TRAP_BYTES = 64;

    private static final int PAGE_BYTES = 4096;

    private final CopyCalls copies;
    private final FileCalls files;
    private final AlignedBuffer buffer;

    FileCopier(CopyCalls copies, FileCalls files, AlignedBuffer buffer) {
        this.copies = copies;
        this.files = files;
        this.buffer = buffer;
    }

    /** Something that copies on: from how many bytes are done, to how many more. */
    private interface Step {
        long copy(long done) throws LinuxException;
    }

    void copyInKernel(Fd from, long fromOffset, Fd to, long toOffset, long lengthBytes) throws LinuxException {
        long done = repeat(
                0,
                lengthBytes,
                at -> copies.copyFileRange(
                        from, fromOffset + at, to, toOffset + at, Math.min(STEP_BYTES, lengthBytes - at)));
        if (done < lengthBytes) {
            files.seek(to, toOffset + done);
            done = repeat(
                    done,
                    lengthBytes,
                    at -> copies.sendfile(to, from, fromOffset + at, Math.min(STEP_BYTES, lengthBytes - at)));
        }
        if (done < lengthBytes) {
            copyThroughCrc(from, fromOffset + done, to, toOffset + done, lengthBytes - done, new CRC32C());
        }
    }

    /** Repeats until all is done, or the kernel cannot; some filesystems say that by copying 0 bytes. */
    private static long repeat(long start, long end, Step step) throws LinuxException {
        long done = start;
        while (done < end) {
            try {
                long n = step.copy(done);
                if (n <= 0) {
                    return done;
                }
                done += n;
            } catch (LinuxException e) {
                if (!cannotBeDone(e.errno())) {
                    throw e;
                }
                return done;
            }
        }
        return done;
    }

    private static boolean cannotBeDone(Errno errno) {
        return switch (errno) {
            case EXDEV, EINVAL, EOPNOTSUPP, ENOSYS, EPERM -> true;
            default -> false;
        };
    }

    void copyThroughCrc(Fd from, long fromOffset, Fd to, long toOffset, long lengthBytes, CRC32C crc)
            throws LinuxException {
        long done = 0;
        while (done < lengthBytes) {
            long position = fromOffset + done;
            long step = Math.min(lengthBytes - done, buffer.capacityBytes());
            MemorySegment view = view(position, toOffset + done, step);
            int n = files.pread(from, view, position);
            if (n == 0) {
                return;
            }
            MemorySegment read = view.asSlice(0, n);
            crc.update(read.asByteBuffer());
            writeFully(to, read, toOffset + done);
            done += n;
        }
    }

    /** A view congruent to where it is read from, unless writing it would then fall into the same trap. */
    private MemorySegment view(long readFrom, long writeTo, long lengthBytes) {
        boolean trap = Math.floorMod(writeTo - readFrom, PAGE_BYTES) - 1 < TRAP_BYTES && writeTo != readFrom;
        return buffer.at(trap ? readFrom + PAGE_BYTES / 2 : readFrom, lengthBytes);
    }

    private void writeFully(Fd to, MemorySegment source, long offset) throws LinuxException {
        long written = 0;
        while (written < source.byteSize()) {
            written += files.pwrite(to, source.asSlice(written), offset + written);
        }
    }
}
