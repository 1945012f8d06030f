package tailrace.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static tailrace.linux.Syscalls.call;
import static tailrace.linux.Syscalls.check;
import static tailrace.linux.Syscalls.is;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

final class LinuxNameCalls implements NameCalls {
    private static final long AT_SYMLINK_FOLLOW = 0x400;
    private static final long RENAME_NOREPLACE = 1;
    private static final LinuxPath SELF = LinuxPath.of(".");
    private static final LinuxPath PARENT = LinuxPath.of("..");

    private final FileCalls files = new LinuxFileCalls();

    @Override
    public boolean link(Fd file, Fd directory, LinuxPath path) throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        long result = call(
                scratch,
                SystemCall.LINKAT,
                Fd.CURRENT_DIRECTORY.number(),
                scratch.path(file.procPath()),
                directory.number(),
                scratch.secondPath(path),
                AT_SYMLINK_FOLLOW,
                0);
        return done(result, SystemCall.LINKAT, path, Errno.EEXIST);
    }

    @Override
    public boolean unlink(Fd directory, LinuxPath path) throws LinuxException {
        long result =
                call(SystemCall.UNLINKAT, directory.number(), Scratch.ofThread().path(path), 0);
        return done(result, SystemCall.UNLINKAT, path, Errno.ENOENT);
    }

    @Override
    public boolean rename(Fd fromDirectory, LinuxPath from, Fd toDirectory, LinuxPath to) throws LinuxException {
        return done(rename(fromDirectory, from, toDirectory, to, 0), SystemCall.RENAMEAT2, from, Errno.ENOENT);
    }

    @Override
    public boolean renameNoReplace(Fd fromDirectory, LinuxPath from, Fd toDirectory, LinuxPath to)
            throws LinuxException {
        long result = rename(fromDirectory, from, toDirectory, to, RENAME_NOREPLACE);
        return done(result, SystemCall.RENAMEAT2, to, Errno.EEXIST);
    }

    private static long rename(Fd fromDirectory, LinuxPath from, Fd toDirectory, LinuxPath to, long flags)
            throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        return call(
                scratch,
                SystemCall.RENAMEAT2,
                fromDirectory.number(),
                scratch.path(from),
                toDirectory.number(),
                scratch.secondPath(to),
                flags,
                0);
    }

    @Override
    public boolean mkdir(Fd directory, LinuxPath path, int mode) throws LinuxException {
        long result =
                call(SystemCall.MKDIRAT, directory.number(), Scratch.ofThread().path(path), mode);
        return done(result, SystemCall.MKDIRAT, path, Errno.EEXIST);
    }

    private static boolean done(long result, SystemCall call, LinuxPath subject, Errno expected) throws LinuxException {
        if (is(result, expected)) {
            return false;
        }
        check(result, call, subject);
        return true;
    }

    @Override
    public List<DirectoryEntry> list(Fd directory) throws LinuxException {
        // A descriptor of our own: reading moves its position, and the caller's may be shared.
        Fd listed = files.open(directory, SELF, OpenHow.directory()).orElseThrow(() -> gone(directory));
        try {
            var entries = new ArrayList<DirectoryEntry>();
            MemorySegment buffer = Scratch.ofThread().listing();
            while (true) {
                long length = check(
                        call(SystemCall.GETDENTS64, listed.number(), buffer.address(), buffer.byteSize()),
                        SystemCall.GETDENTS64,
                        directory);
                if (length == 0) {
                    return entries;
                }
                parse(buffer, length, entries);
            }
        } finally {
            files.close(listed);
        }
    }

    private static LinuxException gone(Fd directory) {
        return new LinuxException("getdents64", Errno.ENOENT, directory.toString());
    }

    /** struct linux_dirent64: u64 inode, s64 offset, u16 record length, u8 type, name with its NUL. */
    private static void parse(MemorySegment buffer, long length, List<DirectoryEntry> entries) {
        for (long at = 0; at < length; at += Short.toUnsignedInt(buffer.get(JAVA_SHORT_UNALIGNED, at + 16))) {
            long nameEnd = at + 19;
            while (buffer.get(JAVA_BYTE, nameEnd) != 0) {
                nameEnd++;
            }
            LinuxPath name =
                    LinuxPath.ofBytes(buffer.asSlice(at + 19, nameEnd - at - 19).toArray(JAVA_BYTE));
            if (!name.equals(SELF) && !name.equals(PARENT)) {
                entries.add(new DirectoryEntry(
                        name, buffer.get(JAVA_LONG_UNALIGNED, at), buffer.get(JAVA_BYTE, at + 18) & 0xFF));
            }
        }
    }

    @Override
    public Optional<LinuxPath> readlink(Fd directory, LinuxPath path) throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        MemorySegment target = scratch.struct;
        long result = call(
                SystemCall.READLINKAT, directory.number(), scratch.path(path), target.address(), target.byteSize());
        if (is(result, Errno.ENOENT) || is(result, Errno.EINVAL)) {
            return Optional.empty();
        }
        check(result, SystemCall.READLINKAT, path);
        return Optional.of(LinuxPath.ofBytes(target.asSlice(0, result).toArray(JAVA_BYTE)));
    }
}
