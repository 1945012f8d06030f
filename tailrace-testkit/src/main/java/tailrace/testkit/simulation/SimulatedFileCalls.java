package tailrace.testkit.simulation;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileHandle;
import tailrace.linux.FileStatus;
import tailrace.linux.FilesystemStatus;
import tailrace.linux.InotifyEvent;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

final class SimulatedFileCalls implements FileCalls {
    private static final long EXT4_MAGIC = 0xEF53;
    private static final int HANDLE_TYPE = 1;
    private static final int MAX_MOVED_BYTES = 1 << 20;

    private final SimulatedKernel process;
    private final SimulatedMachine machine;
    private final byte[] scratch = new byte[MAX_MOVED_BYTES];

    SimulatedFileCalls(SimulatedKernel process) {
        this.process = process;
        this.machine = process.machine;
    }

    @Override
    public Optional<Fd> open(Fd directory, LinuxPath path, OpenHow how) throws LinuxException {
        process.before("openat", directory, path);
        OpenFile behind = process.behindProc(path, "openat");
        if (behind != null && behind.inode != null) {
            return Optional.of(process.add(openInode(behind.inode, behind.dentry, how), "openat"));
        }
        Optional<SimulatedMachine.Place> place = locate(directory, path, how.followsLinks(), how.followsLastLink());
        if (place.isEmpty()) {
            return Optional.empty();
        }
        Dentry dentry = place.get().dentry();
        if (how.isTemporary()) {
            return Optional.of(process.add(openUnnamed(dentry, path, how), "openat"));
        }
        if (dentry == null && !how.isCreate()) {
            return Optional.empty();
        }
        if (dentry == null) {
            return Optional.of(process.add(create(place.get(), how), "openat"));
        }
        if (how.isCreate() && how.isExclusive()) {
            throw new LinuxException("openat", Errno.EEXIST, path.toString());
        }
        if (dentry.inode.is(Inode.SYMBOLIC_LINK)) {
            throw new LinuxException("openat", Errno.ELOOP, path.toString());
        }
        if (how.isDirectory() && !dentry.inode.is(Inode.DIRECTORY)) {
            throw new LinuxException("openat", Errno.ENOTDIR, path.toString());
        }
        if (how.isWritable() && dentry.inode.is(Inode.DIRECTORY)) {
            throw new LinuxException("openat", Errno.EISDIR, path.toString());
        }
        if (how.isWritable() && dentry.inode.filesystem.isReadOnly()) {
            throw new LinuxException("openat", Errno.EROFS, path.toString());
        }
        return Optional.of(process.add(openInode(dentry.inode, dentry, how), "openat"));
    }

    /** Empty if a directory on the way is not there. */
    private Optional<SimulatedMachine.Place> locate(Fd directory, LinuxPath path, boolean links, boolean last)
            throws LinuxException {
        try {
            return Optional.of(machine.resolve(process.directory(directory, "openat"), path, links, last, "openat"));
        } catch (LinuxException e) {
            if (e.errno() == Errno.ENOENT) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private OpenFile openInode(Inode inode, @Nullable Dentry dentry, OpenHow how) {
        return process.open(inode, dentry, how.isWritable(), how.isAppend(), how.isPlace());
    }

    private OpenFile create(SimulatedMachine.Place place, OpenHow how) throws LinuxException {
        Inode parent = place.directory();
        refuseReadOnly(parent, "openat");
        Inode inode = parent.filesystem.make(Inode.REGULAR | how.mode(), machine.now());
        var dentry = new Dentry(parent, place.name(), inode);
        machine.addEntry(dentry, process.durableAtOnce);
        machine.tellParent(dentry, InotifyEvent.CREATE, 0);
        return openInode(inode, dentry, how);
    }

    private OpenFile openUnnamed(@Nullable Dentry directory, LinuxPath path, OpenHow how) throws LinuxException {
        if (directory == null) {
            throw new LinuxException("openat", Errno.ENOENT, path.toString());
        }
        refuseReadOnly(directory.inode, "openat");
        Inode inode = directory.inode.filesystem.make(Inode.REGULAR | how.mode(), machine.now());
        return process.open(inode, null, true, false, false);
    }

    private static void refuseReadOnly(Inode inode, String call) throws LinuxException {
        if (inode.filesystem.isReadOnly()) {
            throw new LinuxException(call, Errno.EROFS, inode.toString());
        }
    }

    @Override
    public Optional<Fd> openByHandle(Fd mount, FileHandle handle, OpenHow how) throws LinuxException {
        process.before("open_by_handle_at", mount);
        ByteBuffer bytes = ByteBuffer.wrap(handle.bytes());
        Inode found = process.inode(mount, "open_by_handle_at").filesystem.find(bytes.getLong(), bytes.getInt());
        return found == null
                ? Optional.empty()
                : Optional.of(process.add(openInode(found, null, how), "open_by_handle_at"));
    }

    @Override
    public void close(Fd fd) throws LinuxException {
        process.before("close", fd);
        process.close(fd);
    }

    @Override
    public Fd duplicate(Fd fd) throws LinuxException {
        process.before("fcntl", fd);
        OpenFile file = process.get(fd, "fcntl");
        file.descriptors++;
        return process.add(file, "fcntl");
    }

    @Override
    public int pread(Fd fd, MemorySegment buffer, long position) throws LinuxException {
        process.before("pread", fd);
        Inode inode = readable(fd, "pread");
        int wanted = (int) Math.min(buffer.byteSize(), MAX_MOVED_BYTES);
        int n = inode.read(position, scratch, wanted == 0 ? 0 : process.interference.shorten("pread", wanted));
        MemorySegment.copy(scratch, 0, buffer, ValueLayout.JAVA_BYTE, 0, n);
        return n;
    }

    private Inode readable(Fd fd, String call) throws LinuxException {
        OpenFile file = process.get(fd, call);
        Inode inode = process.inode(fd, call);
        if (file.placeOnly || file.append) {
            throw new LinuxException(call, Errno.EBADF, fd.toString());
        }
        if (inode.is(Inode.DIRECTORY)) {
            throw new LinuxException(call, Errno.EISDIR, fd.toString());
        }
        return inode;
    }

    @Override
    public int preadCritical(Fd fd, byte[] buffer, int offset, int lengthBytes, long position) throws LinuxException {
        process.before("pread", fd);
        int n = readable(fd, "pread").read(position, scratch, Math.min(lengthBytes, MAX_MOVED_BYTES));
        System.arraycopy(scratch, 0, buffer, offset, n);
        return n;
    }

    @Override
    public int pwrite(Fd fd, MemorySegment source, long position) throws LinuxException {
        process.before("pwrite", fd);
        return write("pwrite", fd, source, position);
    }

    @Override
    public int write(Fd fd, MemorySegment source) throws LinuxException {
        process.before("write", fd);
        OpenFile file = process.get(fd, "write");
        long at = file.append && file.inode != null ? file.inode.size() : file.position;
        int n = write("write", fd, source, at);
        file.position = at + n;
        return n;
    }

    private int write(String call, Fd fd, MemorySegment source, long position) throws LinuxException {
        int wanted = (int) Math.min(source.byteSize(), MAX_MOVED_BYTES);
        if (wanted == 0) {
            return 0;
        }
        int n = process.interference.shorten(call, wanted);
        MemorySegment.copy(source, ValueLayout.JAVA_BYTE, 0, scratch, 0, n);
        return write(call, fd, scratch, n, position);
    }

    /** Writes as much as there is room for. */
    int write(String call, Fd fd, byte[] source, int length, long position) throws LinuxException {
        OpenFile file = process.get(fd, call);
        Inode inode = process.inode(fd, call);
        if (!file.writable) {
            throw new LinuxException(call, Errno.EBADF, fd.toString());
        }
        refuseReadOnly(inode, call);
        long room = inode.filesystem.availableBytes() + Math.max(0, inode.size() - position);
        int n = (int) Math.min(length, room);
        if (n == 0 && length > 0) {
            throw new LinuxException(call, Errno.ENOSPC, fd.toString());
        }
        int before = inode.size();
        inode.write(position, source, n, machine.now());
        changed(file, inode, before);
        return n;
    }

    private void changed(OpenFile file, Inode inode, int sizeBefore) {
        inode.filesystem.use(inode.size() - sizeBefore);
        if (process.durableAtOnce) {
            inode.sync();
        }
        machine.tellBoth(file, InotifyEvent.MODIFY);
    }

    @Override
    public void seek(Fd fd, long position) throws LinuxException {
        process.before("lseek", fd);
        process.get(fd, "lseek").position = position;
    }

    @Override
    public FileStatus status(Fd fd) throws LinuxException {
        process.before("statx", fd);
        return status(process.inode(fd, "statx"));
    }

    @Override
    public Optional<FileStatus> status(Fd directory, LinuxPath path) throws LinuxException {
        process.before("statx", directory, path);
        try {
            Dentry dentry = machine.resolve(process.directory(directory, "statx"), path, true, false, "statx")
                    .dentry();
            return dentry == null ? Optional.empty() : Optional.of(status(dentry.inode));
        } catch (LinuxException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static FileStatus status(Inode inode) {
        return new FileStatus(
                inode.mode,
                inode.number,
                inode.size(),
                inode.links,
                0,
                inode.filesystem.device(),
                inode.modified,
                inode.birth);
    }

    @Override
    public FilesystemStatus filesystem(Fd fd) throws LinuxException {
        process.before("fstatfs", fd);
        Filesystem filesystem = process.inode(fd, "fstatfs").filesystem;
        return new FilesystemStatus(
                EXT4_MAGIC, filesystem.availableBytes(), filesystem.sizeBytes(), filesystem.device());
    }

    @Override
    public Optional<byte[]> filesystemUuid(Fd fd) throws LinuxException {
        process.before("ioctl", fd);
        int device = process.inode(fd, "ioctl").filesystem.device();
        return Optional.of(ByteBuffer.allocate(16)
                .putLong(0x7461696C72616365L)
                .putLong(device)
                .array());
    }

    @Override
    public Optional<FileHandle> handle(Fd fd, boolean identifyOnly) throws LinuxException {
        process.before("name_to_handle_at", fd);
        Inode inode = process.inode(fd, "name_to_handle_at");
        if (!process.offersHandles()) {
            return Optional.empty();
        }
        byte[] bytes = ByteBuffer.allocate(12)
                .putLong(inode.number)
                .putInt(inode.generation)
                .array();
        return Optional.of(new FileHandle(HANDLE_TYPE, bytes));
    }

    @Override
    public void fdatasync(Fd fd) throws LinuxException {
        process.before("fdatasync", fd);
        process.inode(fd, "fdatasync").sync();
    }

    @Override
    public void fsync(Fd fd) throws LinuxException {
        process.before("fsync", fd);
        Inode inode = process.inode(fd, "fsync");
        inode.sync();
        if (inode.is(Inode.DIRECTORY)) {
            inode.filesystem.sync(inode);
        }
    }

    @Override
    public void syncfs(Fd fd) throws LinuxException {
        process.before("syncfs", fd);
        process.inode(fd, "syncfs").filesystem.syncAll();
    }

    @Override
    public void ftruncate(Fd fd, long lengthBytes) throws LinuxException {
        process.before("ftruncate", fd);
        OpenFile file = process.get(fd, "ftruncate");
        Inode inode = process.inode(fd, "ftruncate");
        if (!file.writable) {
            throw new LinuxException("ftruncate", Errno.EINVAL, fd.toString());
        }
        refuseReadOnly(inode, "ftruncate");
        int before = inode.size();
        inode.truncate(lengthBytes, machine.now());
        changed(file, inode, before);
    }

    @Override
    public boolean tryLock(Fd fd) throws LinuxException {
        process.before("flock", fd);
        return process.lock(process.get(fd, "flock"));
    }

    @Override
    public OptionalLong writers(Fd fd) throws LinuxException {
        process.before("fcntl", fd);
        return OptionalLong.of(process.inode(fd, "fcntl").writers > 0 ? 1 : 0);
    }
}
