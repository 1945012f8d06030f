package tailrace.testkit.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tailrace.linux.Errno;
import tailrace.linux.InotifyEvent;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/** Filesystems, and what is common to all processes. For one thread. */
public final class SimulatedMachine {
    private static final int MAX_LINKS = 40;
    private static final LinuxPath HERE = LinuxPath.of(".");

    private final Supplier<Instant> clock;
    private final Filesystem rootFilesystem;
    private final Map<LinuxPath, Filesystem> mounts = new LinkedHashMap<>();

    /** A directory that a filesystem is mounted on, and that filesystem's root. */
    private final Map<Inode, Inode> mounted = new LinkedHashMap<>();

    private final List<Inotify> listeners = new ArrayList<>();
    private Consumer<byte[]> whenFreed = content -> {};
    private int nextCookie = 1;

    /** A place in the tree: the directory, the name in it, and what is there. */
    record Place(Inode directory, LinuxPath name, @Nullable Dentry dentry) {}

    /** @param clock what file times are taken from */
    public SimulatedMachine(Supplier<Instant> clock) {
        this.clock = clock;
        this.rootFilesystem = new Filesystem("root", 1, clock.get());
        mounts.put(LinuxPath.of("/"), rootFilesystem);
    }

    /** Makes a directory below the root, and mounts a new filesystem on it. */
    public void mount(String directory) {
        LinuxPath path = LinuxPath.of(directory);
        Inode point = rootFilesystem.make(Inode.DIRECTORY | 0755, now());
        var dentry = new Dentry(rootFilesystem.root(), path.fileName(), point);
        addEntry(dentry, true);
        var filesystem = new Filesystem(path.fileName().toString(), mounts.size() + 1, now());
        mounts.put(path, filesystem);
        mounted.put(point, filesystem.root());
        filesystem.root().place = dentry;
    }

    /** Another process on this machine, whose calls nobody disturbs. */
    public SimulatedKernel process() {
        return new SimulatedKernel(this, Interference.NONE, true);
    }

    /** A process whose calls are interfered with, and whose changes survive a power cut only if they were synced. */
    public SimulatedKernel process(Interference interference) {
        return new SimulatedKernel(this, interference, false);
    }

    /** The filesystem mounted on a directory holds so many bytes; names cost nothing. */
    public void limitSpace(String directory, long bytes) {
        at(directory).limit(bytes);
    }

    /** Remounts. */
    public void readOnly(String directory, boolean wanted) {
        at(directory).readOnly(wanted);
    }

    private Filesystem at(String directory) {
        Filesystem filesystem = mounts.get(LinuxPath.of(directory));
        if (filesystem == null) {
            throw new IllegalArgumentException("nothing is mounted on " + directory);
        }
        return filesystem;
    }

    /** The power goes: every process must have been killed. */
    public void powerCut(PowerCut cut) {
        mounts.values().forEach(filesystem -> filesystem.powerCut(cut));
    }

    Instant now() {
        return clock.get();
    }

    Inode root() {
        return rootFilesystem.root();
    }

    int takeCookie() {
        return nextCookie++;
    }

    Inotify listen(int maxQueued) {
        var inotify = new Inotify(maxQueued);
        listeners.add(inotify);
        return inotify;
    }

    void deafen(Inotify inotify) {
        listeners.remove(inotify);
    }

    /** What lies at a path: directories on the way must exist. */
    Place resolve(Inode start, LinuxPath path, boolean followLinks, boolean followLast, String call)
            throws LinuxException {
        return resolve(start, path, followLinks, followLast, call, 0);
    }

    private Place resolve(Inode start, LinuxPath path, boolean followLinks, boolean followLast, String call, int depth)
            throws LinuxException {
        if (depth > MAX_LINKS) {
            throw new LinuxException(call, Errno.ELOOP, path.toString());
        }
        Inode directory = path.isAbsolute() ? root() : start;
        if (path.isAbsolute() && !followLinks) {
            throw new LinuxException(call, Errno.EXDEV, path.toString());
        }
        LinuxPath rest = path.isAbsolute() ? path.relativeTo(LinuxPath.of("/")) : path;
        if (rest.lengthBytes() == 0 || rest.equals(HERE)) {
            return new Place(directory, HERE, new Dentry(directory, HERE, directory));
        }
        List<LinuxPath> names = names(rest);
        for (int i = 0; i < names.size(); i++) {
            LinuxPath name = names.get(i);
            boolean last = i == names.size() - 1;
            if (!directory.is(Inode.DIRECTORY)) {
                throw new LinuxException(call, Errno.ENOTDIR, path.toString());
            }
            Dentry found = name.equals(HERE) ? new Dentry(directory, HERE, directory) : directory.entries.get(name);
            if (found != null && found.inode.is(Inode.SYMBOLIC_LINK) && (!last || followLast || !followLinks)) {
                if (!followLinks) {
                    throw new LinuxException(call, Errno.ELOOP, path.toString());
                }
                Place target = resolve(directory, found.inode.target, true, true, call, depth + 1);
                found = target.dentry;
                if (last) {
                    return target;
                }
            }
            if (last) {
                return new Place(directory, name, found == null ? null : throughMount(found));
            }
            if (found == null) {
                throw new LinuxException(call, Errno.ENOENT, path.toString());
            }
            directory = throughMount(found).inode;
        }
        throw new IllegalStateException("a path has at least one name");
    }

    private static List<LinuxPath> names(LinuxPath path) {
        var names = new ArrayList<LinuxPath>();
        for (LinuxPath rest = path; rest.lengthBytes() > 0; rest = rest.parent()) {
            if (rest.fileName().lengthBytes() > 0) {
                names.addFirst(rest.fileName());
            }
        }
        return names;
    }

    private Dentry throughMount(Dentry dentry) {
        Inode root = mounted.get(dentry.inode);
        return root == null ? dentry : new Dentry(dentry.parent, dentry.name, root);
    }

    void addEntry(Dentry dentry, boolean atOnce) {
        dentry.parent.entries.put(dentry.name, dentry);
        dentry.parent.modified = now();
        dentry.inode.links++;
        if (dentry.inode.is(Inode.DIRECTORY)) {
            dentry.inode.place = dentry;
        }
        dentry.parent.filesystem.change(atOnce, dentry.parent, dentry.name, dentry.inode);
    }

    void removeEntry(Dentry dentry, boolean atOnce) {
        dentry.parent.entries.remove(dentry.name);
        dentry.parent.modified = now();
        dentry.inode.links--;
        dentry.parent.filesystem.change(atOnce, dentry.parent, dentry.name, null);
        if (!dentry.inode.is(Inode.DIRECTORY)) {
            tell(dentry.inode, InotifyEvent.ATTRIB);
        }
        tellParent(dentry, InotifyEvent.DELETE, 0);
        free(dentry.inode);
    }

    /** Called with the content of every regular file that ceases to exist. */
    public void whenFreed(Consumer<byte[]> listener) {
        whenFreed = listener;
    }

    /** Adds to a file as a mapping does it: nobody is told. False if there is no such file. */
    public boolean appendSilently(String path, byte[] bytes) {
        try {
            Dentry dentry = resolve(root(), LinuxPath.of(path), true, true, "open").dentry;
            if (dentry == null) {
                return false;
            }
            dentry.inode.write(dentry.inode.size(), bytes, bytes.length, now());
            dentry.inode.sync();
            dentry.inode.filesystem.use(bytes.length);
            return true;
        } catch (LinuxException e) {
            return false;
        }
    }

    /** Whether a file is open more often than so. */
    public boolean isOpenBeside(String path, int known) {
        try {
            Dentry dentry = resolve(root(), LinuxPath.of(path), true, true, "open").dentry;
            return dentry != null && dentry.inode.openers > known;
        } catch (LinuxException e) {
            return false;
        }
    }

    void free(Inode inode) {
        byte[] content = inode.is(Inode.REGULAR) ? inode.content() : new byte[0];
        if (inode.filesystem.freeIfUnused(inode)) {
            whenFreed.accept(content);
            listeners.forEach(inotify -> inotify.forget(inode));
        }
    }

    void tell(Inode inode, int event) {
        listeners.forEach(inotify -> inotify.tell(inode, event, 0, null));
    }

    /** The directory hears of it, under the name that the file has there. */
    void tellParent(Dentry dentry, int event, int cookie) {
        int bits = dentry.inode.is(Inode.DIRECTORY) ? event | InotifyEvent.IS_DIRECTORY : event;
        listeners.forEach(inotify -> inotify.tell(dentry.parent, bits, cookie, dentry.name));
    }

    /** Something happened to an open file. */
    void tellBoth(OpenFile file, int event) {
        Dentry dentry = file.dentry;
        Inode inode = file.inode;
        if (dentry != null) {
            tellParent(dentry, event, 0);
        }
        if (inode != null) {
            tell(inode, event);
        }
    }

    /** What a file holds, for a checker; null if there is none. */
    public byte @Nullable [] content(String path) {
        try {
            Dentry dentry = resolve(root(), LinuxPath.of(path), true, true, "open").dentry;
            return dentry == null ? null : dentry.inode.content();
        } catch (LinuxException e) {
            return null;
        }
    }

    /** The paths of all regular files below a directory, in the order they were made. */
    public List<String> filesBelow(String directory) {
        var paths = new ArrayList<String>();
        try {
            Dentry dentry = resolve(root(), LinuxPath.of(directory), true, true, "open").dentry;
            if (dentry != null) {
                collect(dentry.inode, directory, paths);
            }
        } catch (LinuxException e) {
            return List.of();
        }
        return paths;
    }

    private static void collect(Inode directory, String path, List<String> paths) {
        for (Dentry entry : directory.entries.values()) {
            String below = path + "/" + entry.name;
            if (entry.inode.is(Inode.DIRECTORY)) {
                collect(entry.inode, below, paths);
            } else if (entry.inode.is(Inode.REGULAR)) {
                paths.add(below);
            }
        }
    }

    /** How many files below a directory's filesystem exist, with and without names. */
    public int inodes(String directory) {
        return at(directory).all().size();
    }
}
