package tailrace.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static tailrace.linux.Syscalls.call;
import static tailrace.linux.Syscalls.check;
import static tailrace.linux.Syscalls.is;

import java.lang.foreign.MemorySegment;

final class LinuxCopyCalls implements CopyCalls {
    /** _IOW(0x94, 9, int). */
    private static final long FICLONE = 0x40049409L;

    private static final long SPLICE_F_MOVE_NONBLOCK = 1 | 2;

    @Override
    public long copyFileRange(Fd from, long fromOffset, Fd to, long toOffset, long lengthBytes) throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        MemorySegment offsets = scratch.struct;
        offsets.set(JAVA_LONG, 0, fromOffset);
        offsets.set(JAVA_LONG, 8, toOffset);
        long result = call(
                scratch,
                SystemCall.COPY_FILE_RANGE,
                from.number(),
                offsets.address(),
                to.number(),
                offsets.address() + 8,
                lengthBytes,
                0);
        return check(result, SystemCall.COPY_FILE_RANGE, to);
    }

    @Override
    public long sendfile(Fd to, Fd from, long fromOffset, long lengthBytes) throws LinuxException {
        MemorySegment offset = Scratch.ofThread().struct;
        offset.set(JAVA_LONG, 0, fromOffset);
        long result = call(SystemCall.SENDFILE, to.number(), from.number(), offset.address(), lengthBytes);
        return is(result, Errno.EAGAIN) ? -1 : check(result, SystemCall.SENDFILE, to);
    }

    @Override
    public long splice(Fd from, Fd to, long lengthBytes) throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        long result =
                call(scratch, SystemCall.SPLICE, from.number(), 0, to.number(), 0, lengthBytes, SPLICE_F_MOVE_NONBLOCK);
        return is(result, Errno.EAGAIN) ? -1 : check(result, SystemCall.SPLICE, to);
    }

    @Override
    public boolean reflink(Fd from, Fd to) throws LinuxException {
        long result = call(SystemCall.IOCTL, to.number(), FICLONE, from.number());
        if (is(result, Errno.EOPNOTSUPP) || is(result, Errno.EXDEV) || is(result, Errno.EINVAL) || result == -25) {
            return false; // -25 is ENOTTY: the filesystem does not know the request
        }
        check(result, SystemCall.IOCTL, to);
        return true;
    }
}
