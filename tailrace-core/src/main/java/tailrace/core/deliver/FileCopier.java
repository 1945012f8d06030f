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
 * Copies into a file. Inside the kernel by copy_file_range, or sendfile where the two filesystems differ, if nobody wants
 * to see the bytes and they keep their place in the page: to move them within the page costs the kernel 1.5 times as much.
 * Everything else goes through a buffer that lies as the destination does, so that whole pages are written: that, with the
 * checksum, is 1.3 times the price of copy_file_range, and 1.4 times as fast as the same with a buffer as the source lies
 * (one of two cores, ext4, 2 GB). A source that turns out shorter ends the copy; the caller checks.
 */
final class FileCopier {
    private static final long STEP_BYTES = 16L << 20;

    /** How close behind a page boundary the kernel's copy is slow (see {@link AlignedBuffer}), doubled for safety. */
    private static final int TRAP_BYTES = 64;

    private static final int PAGE_BYTES = 4096;

    private final CopyCalls copies;
    private final FileCalls files;
    private final AlignedBuffer buffer;
    private final Fd to;
    private final boolean summing;
    private final CRC32C crc;

    /**
     * @param to where all that is copied goes
     * @param integrity whether {@code crc} is to know the bytes
     */
    FileCopier(CopyCalls copies, FileCalls files, AlignedBuffer buffer, Fd to, Integrity integrity, CRC32C crc) {
        this.copies = copies;
        this.files = files;
        this.buffer = buffer;
        this.to = to;
        this.summing = integrity == Integrity.CRC32C;
        this.crc = crc;
    }

    /** Something that copies on: from how many bytes are done, to how many more. */
    private interface Step {
        long copy(long done) throws LinuxException;
    }

    void copy(Fd from, long fromOffset, long toOffset, long lengthBytes) throws LinuxException {
        boolean inKernel = !summing && Math.floorMod(toOffset - fromOffset, PAGE_BYTES) == 0;
        long done = inKernel ? copyInKernel(from, fromOffset, toOffset, lengthBytes) : 0;
        long n = 1;
        while (done < lengthBytes && n > 0) {
            n = readAndWrite(from, fromOffset + done, toOffset + done, lengthBytes - done);
            done += n;
        }
    }

    /** Returns how much could be copied so. */
    private long copyInKernel(Fd from, long fromOffset, long toOffset, long lengthBytes) throws LinuxException {
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
        return done;
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

    /** Copies up to where the next whole buffer begins in the destination; 0 at the end of the source. */
    private long readAndWrite(Fd from, long fromOffset, long toOffset, long lengthBytes) throws LinuxException {
        long step = Math.min(lengthBytes, buffer.capacityBytes() - Math.floorMod(toOffset, buffer.capacityBytes()));
        MemorySegment view = view(fromOffset, toOffset, step);
        MemorySegment read = view.asSlice(0, files.pread(from, view, fromOffset));
        if (summing) {
            crc.update(read.asByteBuffer());
        }
        files.pwriteFully(to, read, toOffset);
        return read.byteSize();
    }

    /** A view congruent to where it is written, unless reading into it would fall into the trap. */
    private MemorySegment view(long readFrom, long writeTo, long lengthBytes) {
        boolean trap = Math.floorMod(writeTo - readFrom, PAGE_BYTES) - 1 < TRAP_BYTES && writeTo != readFrom;
        return buffer.at(trap ? writeTo + TRAP_BYTES : writeTo, lengthBytes);
    }
}
