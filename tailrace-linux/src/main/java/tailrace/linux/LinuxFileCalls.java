package tailrace.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static tailrace.linux.Syscalls.call;
import static tailrace.linux.Syscalls.check;
import static tailrace.linux.Syscalls.is;

import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

final class LinuxFileCalls implements FileCalls {
    private static final long AT_SYMLINK_NOFOLLOW = 0x100;
    private static final long AT_HANDLE_FID = 0x200;
    private static final long AT_EMPTY_PATH = 0x1000;
    private static final long STATX_BASIC_STATS_AND_BTIME = 0xFFF;
    private static final long F_DUPFD_CLOEXEC = 1030;
    private static final long F_SETLEASE = 1024;
    private static final long F_SETSIG = 10;
    private static final long SIGURG = 23;
    private static final long F_RDLCK = 0;
    private static final long F_UNLCK = 2;
    private static final long LOCK_EX_NB = 2 | 4;

    /** _IOR(0x15, 0, struct fsuuid2): a length byte and 16 bytes. */
    private static final long FS_IOC_GETFSUUID = 0x80111500L;

    private static final LinuxPath EMPTY = LinuxPath.of("");

    @Override
    public Optional<Fd> open(Fd directory, LinuxPath path, OpenHow how) throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        long name = scratch.path(path);
        long result;
        SystemCall call;
        if (how.resolve() == 0) {
            call = SystemCall.OPENAT;
            result = call(call, directory.number(), name, how.flags(), how.mode());
        } else {
            call = SystemCall.OPENAT2;
            MemorySegment openHow = scratch.struct;
            openHow.set(JAVA_LONG, 0, how.flags());
            openHow.set(JAVA_LONG, 8, how.mode());
            openHow.set(JAVA_LONG, 16, how.resolve());
            do { // openat2(2): EAGAIN when a rename raced with the walk, "userspace should retry"
                result = call(call, directory.number(), name, openHow.address(), 24);
            } while (is(result, Errno.EAGAIN));
        }
        if (is(result, Errno.ENOENT)) {
            return Optional.empty();
        }
        return Optional.of(new Fd((int) check(result, call, path)));
    }

    @Override
    public Optional<Fd> openByHandle(Fd mount, FileHandle handle, OpenHow how) throws LinuxException {
        MemorySegment struct = Scratch.ofThread().struct;
        byte[] bytes = handle.bytes();
        struct.set(JAVA_INT, 0, bytes.length);
        struct.set(JAVA_INT, 4, handle.type());
        MemorySegment.copy(bytes, 0, struct, JAVA_BYTE, 8, bytes.length);
        long result = call(SystemCall.OPEN_BY_HANDLE_AT, mount.number(), struct.address(), how.flags());
        if (is(result, Errno.ESTALE) || is(result, Errno.ENOENT)) {
            return Optional.empty();
        }
        return Optional.of(new Fd((int) check(result, SystemCall.OPEN_BY_HANDLE_AT, handle)));
    }

    @Override
    public void close(Fd fd) throws LinuxException {
        long result = call(SystemCall.CLOSE, fd.number());
        if (!is(result, Errno.EINTR)) {
            check(result, SystemCall.CLOSE, fd);
        }
    }

    @Override
    public Fd duplicate(Fd fd) throws LinuxException {
        return new Fd((int) check(call(SystemCall.FCNTL, fd.number(), F_DUPFD_CLOEXEC, 0), SystemCall.FCNTL, fd));
    }

    @Override
    public int pread(Fd fd, MemorySegment buffer, long position) throws LinuxException {
        long result = call(SystemCall.PREAD64, fd.number(), buffer.address(), buffer.byteSize(), position);
        return (int) check(result, SystemCall.PREAD64, fd);
    }

    @Override
    public int preadCritical(Fd fd, byte[] buffer, int offset, int lengthBytes, long position) throws LinuxException {
        MemorySegment target = MemorySegment.ofArray(buffer).asSlice(offset, lengthBytes);
        long result;
        do {
            result = Syscalls.Critical.pread(fd, target, position);
        } while (is(result, Errno.EINTR));
        return (int) check(result, SystemCall.PREAD64, fd);
    }

    @Override
    public int pwrite(Fd fd, MemorySegment source, long position) throws LinuxException {
        long result = call(SystemCall.PWRITE64, fd.number(), source.address(), source.byteSize(), position);
        return (int) check(result, SystemCall.PWRITE64, fd);
    }

    @Override
    public int write(Fd fd, MemorySegment source) throws LinuxException {
        return (int)
                check(call(SystemCall.WRITE, fd.number(), source.address(), source.byteSize()), SystemCall.WRITE, fd);
    }

    @Override
    public void seek(Fd fd, long position) throws LinuxException {
        long fromStart = 0;
        check(call(SystemCall.LSEEK, fd.number(), position, fromStart), SystemCall.LSEEK, fd);
    }

    @Override
    public FileStatus status(Fd fd) throws LinuxException {
        return statx(fd, EMPTY, AT_EMPTY_PATH).orElseThrow();
    }

    @Override
    public Optional<FileStatus> status(Fd directory, LinuxPath path) throws LinuxException {
        return statx(directory, path, AT_SYMLINK_NOFOLLOW);
    }

    private static Optional<FileStatus> statx(Fd directory, LinuxPath path, long flags) throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        MemorySegment s = scratch.struct;
        long result = call(
                scratch,
                SystemCall.STATX,
                directory.number(),
                scratch.path(path),
                flags,
                STATX_BASIC_STATS_AND_BTIME,
                s.address(),
                0);
        if (is(result, Errno.ENOENT) || is(result, Errno.ENOTDIR)) {
            return Optional.empty();
        }
        check(result, SystemCall.STATX, path.lengthBytes() == 0 ? directory : path);
        // offsets of struct statx, the same on every architecture (linux/stat.h)
        return Optional.of(new FileStatus(
                s.get(JAVA_SHORT, 28) & 0xFFFF,
                s.get(JAVA_LONG, 32),
                s.get(JAVA_LONG, 40),
                s.get(JAVA_INT, 16),
                s.get(JAVA_INT, 20),
                (long) s.get(JAVA_INT, 136) << 32 | s.get(JAVA_INT, 140),
                Instant.ofEpochSecond(s.get(JAVA_LONG, 112), s.get(JAVA_INT, 120)),
                Instant.ofEpochSecond(s.get(JAVA_LONG, 80), s.get(JAVA_INT, 88))));
    }

    @Override
    public FilesystemStatus filesystem(Fd fd) throws LinuxException {
        MemorySegment s = Scratch.ofThread().struct;
        check(call(SystemCall.FSTATFS, fd.number(), s.address()), SystemCall.FSTATFS, fd);
        long fragmentBytes = s.get(JAVA_LONG, 72);
        return new FilesystemStatus(
                s.get(JAVA_LONG, 0),
                s.get(JAVA_LONG, 32) * fragmentBytes,
                s.get(JAVA_LONG, 16) * fragmentBytes,
                s.get(JAVA_LONG, 56));
    }

    @Override
    public Optional<byte[]> filesystemUuid(Fd fd) throws LinuxException {
        MemorySegment s = Scratch.ofThread().struct;
        long result = call(SystemCall.IOCTL, fd.number(), FS_IOC_GETFSUUID, s.address());
        int length = result < 0 ? 0 : s.get(JAVA_BYTE, 0);
        // an older kernel answers ENOTTY, a filesystem without a UUID ENOTTY or a length of 0
        return length == 0 ? Optional.empty() : Optional.of(s.asSlice(1, length).toArray(JAVA_BYTE));
    }

    @Override
    public Optional<FileHandle> handle(Fd fd, boolean identifyOnly) throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        MemorySegment s = scratch.struct;
        s.set(JAVA_INT, 0, FileHandle.MAX_BYTES);
        long mountId = s.address() + 512;
        long flags = AT_EMPTY_PATH | (identifyOnly ? AT_HANDLE_FID : 0);
        long result = call(
                scratch,
                SystemCall.NAME_TO_HANDLE_AT,
                fd.number(),
                scratch.path(EMPTY),
                s.address(),
                mountId,
                flags,
                0);
        if (is(result, Errno.EOPNOTSUPP) || is(result, Errno.EINVAL) || is(result, Errno.ENOSYS)) {
            return Optional.empty();
        }
        check(result, SystemCall.NAME_TO_HANDLE_AT, fd);
        int length = s.get(JAVA_INT, 0);
        return Optional.of(
                new FileHandle(s.get(JAVA_INT, 4), s.asSlice(8, length).toArray(JAVA_BYTE)));
    }

    @Override
    public void fdatasync(Fd fd) throws LinuxException {
        check(call(SystemCall.FDATASYNC, fd.number()), SystemCall.FDATASYNC, fd);
    }

    @Override
    public void fsync(Fd fd) throws LinuxException {
        check(call(SystemCall.FSYNC, fd.number()), SystemCall.FSYNC, fd);
    }

    @Override
    public void syncfs(Fd fd) throws LinuxException {
        check(call(SystemCall.SYNCFS, fd.number()), SystemCall.SYNCFS, fd);
    }

    @Override
    public void ftruncate(Fd fd, long lengthBytes) throws LinuxException {
        check(call(SystemCall.FTRUNCATE, fd.number(), lengthBytes), SystemCall.FTRUNCATE, fd);
    }

    @Override
    public boolean tryLock(Fd fd) throws LinuxException {
        long result = call(SystemCall.FLOCK, fd.number(), LOCK_EX_NB);
        if (is(result, Errno.EAGAIN)) {
            return false;
        }
        check(result, SystemCall.FLOCK, fd);
        return true;
    }

    @Override
    public OptionalLong writers(Fd fd) throws LinuxException {
        // who opens it for writing meanwhile waits, and this process gets a signal, of which SIGIO would end it
        check(call(SystemCall.FCNTL, fd.number(), F_SETSIG, SIGURG), SystemCall.FCNTL, fd);
        long result = call(SystemCall.FCNTL, fd.number(), F_SETLEASE, F_RDLCK);
        if (is(result, Errno.EAGAIN)) {
            return OptionalLong.of(1);
        }
        if (result < 0) {
            return OptionalLong.empty();
        }
        check(call(SystemCall.FCNTL, fd.number(), F_SETLEASE, F_UNLCK), SystemCall.FCNTL, fd);
        return OptionalLong.of(0);
    }
}
