package tailrace.testkit.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tailrace.linux.DirectoryEntry;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.InotifyEvent;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.NameCalls;

final class SimulatedNameCalls implements NameCalls {
    private final SimulatedKernel process;
    private final SimulatedMachine machine;

    SimulatedNameCalls(SimulatedKernel process) {
        this.process = process;
        this.machine = process.machine;
    }

    @Override
    public boolean link(Fd file, Fd directory, LinuxPath path) throws LinuxException {
        process.before("linkat", directory, path);
        Inode inode = process.inode(file, "linkat");
        OpenFile open = process.get(file, "linkat");
        SimulatedMachine.Place place = place(directory, path, "linkat");
        if (place.dentry() != null) {
            return false;
        }
        if (place.directory().filesystem != inode.filesystem) {
            throw new LinuxException("linkat", Errno.EXDEV, path.toString());
        }
        if (inode.links == 0 && open.dentry != null) {
            throw new LinuxException("linkat", Errno.ENOENT, path.toString()); // it had a name, and lost it for good
        }
        var dentry = new Dentry(place.directory(), place.name(), inode);
        machine.addEntry(dentry, process.durableAtOnce);
        machine.tell(inode, InotifyEvent.ATTRIB);
        machine.tellParent(dentry, InotifyEvent.CREATE, 0);
        return true;
    }

    private SimulatedMachine.Place place(Fd directory, LinuxPath path, String call) throws LinuxException {
        SimulatedMachine.Place place = machine.resolve(process.directory(directory, call), path, true, false, call);
        if (place.directory().filesystem.isReadOnly()) {
            throw new LinuxException(call, Errno.EROFS, path.toString());
        }
        return place;
    }

    @Override
    public boolean unlink(Fd directory, LinuxPath path) throws LinuxException {
        process.before("unlinkat", directory, path);
        Dentry dentry = place(directory, path, "unlinkat").dentry();
        if (dentry == null) {
            return false;
        }
        if (dentry.inode.is(Inode.DIRECTORY)) {
            throw new LinuxException("unlinkat", Errno.EISDIR, path.toString());
        }
        machine.removeEntry(dentry, process.durableAtOnce);
        return true;
    }

    @Override
    public boolean rename(Fd fromDirectory, LinuxPath from, Fd toDirectory, LinuxPath to) throws LinuxException {
        process.before("renameat2", fromDirectory, from);
        return rename(fromDirectory, from, toDirectory, to, true);
    }

    @Override
    public boolean renameNoReplace(Fd fromDirectory, LinuxPath from, Fd toDirectory, LinuxPath to)
            throws LinuxException {
        process.before("renameat2", toDirectory, to);
        if (place(toDirectory, to, "renameat2").dentry() != null) {
            return false;
        }
        if (!rename(fromDirectory, from, toDirectory, to, false)) {
            throw new LinuxException("renameat2", Errno.ENOENT, from.toString());
        }
        return true;
    }

    private boolean rename(Fd fromDirectory, LinuxPath from, Fd toDirectory, LinuxPath to, boolean replace)
            throws LinuxException {
        Dentry moved = place(fromDirectory, from, "renameat2").dentry();
        if (moved == null) {
            return false;
        }
        SimulatedMachine.Place target = place(toDirectory, to, "renameat2");
        if (target.directory().filesystem != moved.inode.filesystem) {
            throw new LinuxException("renameat2", Errno.EXDEV, to.toString());
        }
        Dentry replaced = target.dentry();
        if (replaced != null && replaced.inode == moved.inode) {
            return true; // rename(2): two names of one file, nothing is done
        }
        if (replaced != null && replace) {
            replaced.parent.entries.remove(replaced.name);
            replaced.inode.links--;
        }
        int cookie = machine.takeCookie();
        machine.tellParent(moved, InotifyEvent.MOVED_FROM, cookie);
        moved.inode.filesystem.change(process.durableAtOnce, moved, target.directory(), target.name());
        moved.parent.entries.remove(moved.name);
        moved.parent = target.directory();
        moved.name = target.name();
        moved.parent.entries.put(moved.name, moved);
        machine.tellParent(moved, InotifyEvent.MOVED_TO, cookie);
        if (replaced != null) {
            machine.tell(replaced.inode, InotifyEvent.ATTRIB);
            machine.free(replaced.inode);
        }
        machine.tell(moved.inode, InotifyEvent.MOVE_SELF);
        return true;
    }

    @Override
    public boolean mkdir(Fd directory, LinuxPath path, int mode) throws LinuxException {
        process.before("mkdirat", directory, path);
        SimulatedMachine.Place place = place(directory, path, "mkdirat");
        if (place.dentry() != null) {
            return false;
        }
        Inode parent = place.directory();
        Inode made = parent.filesystem.make(Inode.DIRECTORY | mode, machine.now());
        var dentry = new Dentry(parent, place.name(), made);
        machine.addEntry(dentry, process.durableAtOnce);
        machine.tellParent(dentry, InotifyEvent.CREATE, 0);
        return true;
    }

    @Override
    public List<DirectoryEntry> list(Fd directory) throws LinuxException {
        process.before("getdents64", directory);
        Inode inode = process.inode(directory, "getdents64");
        if (!inode.is(Inode.DIRECTORY)) {
            throw new LinuxException("getdents64", Errno.ENOTDIR, directory.toString());
        }
        var entries = new ArrayList<DirectoryEntry>();
        for (Dentry entry : inode.entries.values()) {
            entries.add(new DirectoryEntry(entry.name, entry.inode.number, (entry.inode.mode & Inode.TYPE_MASK) >> 12));
        }
        return entries;
    }

    @Override
    public Optional<LinuxPath> readlink(Fd directory, LinuxPath path) throws LinuxException {
        process.before("readlinkat", directory, path);
        @Nullable
        Dentry dentry = machine.resolve(process.directory(directory, "readlinkat"), path, true, false, "readlinkat")
                .dentry();
        return dentry == null || !dentry.inode.is(Inode.SYMBOLIC_LINK)
                ? Optional.empty()
                : Optional.of(dentry.inode.target);
    }
}
