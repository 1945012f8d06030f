package tailrace.testkit.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tailrace.linux.CopyCalls;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.InotifyEvent;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.NameCalls;
import tailrace.linux.WatchCalls;

/** One process's view of a {@link SimulatedMachine}: its descriptors, its limits, its calls. For one thread. */
public final class SimulatedKernel implements Kernel {
    private static final long PROCESS_ID = 12_345;

    private static final int FIRST_FREE = 3;

    final SimulatedMachine machine;
    final Interference interference;

    /** Whether its changes of directories and files survive a power cut without having been synced. */
    final boolean durableAtOnce;

    private final Map<Integer, OpenFile> descriptors = new TreeMap<>();
    private final List<OpenFile> locks = new ArrayList<>();
    private final FileCalls files;
    private final NameCalls names;
    private final CopyCalls copies;
    private final WatchCalls watches;
    private int maxDescriptors = Integer.MAX_VALUE;
    private int maxWatches = Integer.MAX_VALUE;
    private int maxQueuedEvents = 16384;
    private boolean handles = true;

    SimulatedKernel(SimulatedMachine machine, Interference interference, boolean durableAtOnce) {
        this.machine = machine;
        this.interference = interference;
        this.durableAtOnce = durableAtOnce;
        this.files = new SimulatedFileCalls(this);
        this.names = new SimulatedNameCalls(this);
        this.copies = new SimulatedCopyCalls(this);
        this.watches = new SimulatedWatchCalls(this);
    }

    /** RLIMIT_NOFILE. */
    public SimulatedKernel maxDescriptors(int most) {
        maxDescriptors = most;
        return this;
    }

    /** fs.inotify.max_user_watches. */
    public SimulatedKernel maxWatches(int most) {
        maxWatches = most;
        return this;
    }

    /** fs.inotify.max_queued_events, of instances made from now on. */
    public SimulatedKernel maxQueuedEvents(int most) {
        maxQueuedEvents = most;
        return this;
    }

    /** Whether name_to_handle_at is offered; without it identity must do with inode and birth time. */
    public SimulatedKernel handles(boolean offered) {
        handles = offered;
        return this;
    }

    boolean offersHandles() {
        return handles;
    }

    int maxWatches() {
        return maxWatches;
    }

    int maxQueuedEvents() {
        return maxQueuedEvents;
    }

    @Override
    public FileCalls files() {
        return files;
    }

    @Override
    public NameCalls names() {
        return names;
    }

    /** Always the same: what the agent writes of it must not change what fits on a disk. */
    @Override
    public long processId() {
        return PROCESS_ID;
    }

    @Override
    public CopyCalls copies() {
        return copies;
    }

    @Override
    public WatchCalls watches() {
        return watches;
    }

    /** How many descriptors are open. */
    public int openDescriptors() {
        return descriptors.size();
    }

    /** What is open, for a person. */
    public List<String> describeOpen() {
        return descriptors.entrySet().stream()
                .map(entry -> entry.getKey() + " " + subject(new Fd(entry.getKey())))
                .toList();
    }

    /** How many things are watched. */
    public int watched() {
        return descriptors.values().stream()
                .filter(file -> file.inotify != null)
                .mapToInt(file -> file.inotify.watches())
                .sum();
    }

    /** The process ends: all its descriptors are closed. */
    public void kill() {
        for (int number : List.copyOf(descriptors.keySet())) {
            drop(number);
        }
    }

    Fd add(OpenFile file, String call) throws LinuxException {
        if (descriptors.size() >= maxDescriptors) {
            file.descriptors--;
            if (file.descriptors == 0) {
                release(file);
            }
            throw new LinuxException(call, Errno.EMFILE, "new descriptor");
        }
        int number = FIRST_FREE;
        for (int taken : descriptors.keySet()) {
            if (taken != number) {
                break;
            }
            number++;
        }
        descriptors.put(number, file);
        return new Fd(number);
    }

    OpenFile get(Fd fd, String call) throws LinuxException {
        OpenFile file = descriptors.get(fd.number());
        if (file == null) {
            throw new LinuxException(call, Errno.EBADF, fd.toString());
        }
        return file;
    }

    Inode inode(Fd fd, String call) throws LinuxException {
        Inode inode = get(fd, call).inode;
        if (inode == null) {
            throw new LinuxException(call, Errno.EINVAL, fd.toString());
        }
        return inode;
    }

    Inode directory(Fd fd, String call) throws LinuxException {
        return fd.equals(Fd.CURRENT_DIRECTORY) ? machine.root() : inode(fd, call);
    }

    void close(Fd fd) throws LinuxException {
        get(fd, "close");
        drop(fd.number());
    }

    private void drop(int number) {
        OpenFile file = descriptors.remove(number);
        if (file != null && --file.descriptors == 0) {
            release(file);
        }
    }

    private void release(OpenFile file) {
        locks.remove(file);
        Inode inode = file.inode;
        if (inode != null) {
            inode.openers--;
            if (file.writable) {
                inode.writers--;
                machine.tellBoth(file, InotifyEvent.CLOSE_WRITE);
            }
            machine.free(inode);
        }
        if (file.inotify != null) {
            machine.deafen(file.inotify);
        }
    }

    /** Opens an inode: from now on it stays, whatever becomes of its names. */
    OpenFile open(Inode inode, @Nullable Dentry dentry, boolean writable, boolean append, boolean placeOnly) {
        inode.openers++;
        if (writable) {
            inode.writers++;
        }
        return OpenFile.of(inode, dentry, writable, append, placeOnly);
    }

    boolean lock(OpenFile file) {
        for (OpenFile other : locks) {
            if (!other.equals(file) && Objects.equals(other.inode, file.inode)) {
                return false;
            }
        }
        if (!locks.contains(file)) {
            locks.add(file);
        }
        return true;
    }

    /** The file that {@code /proc/self/fd/N} means, if that is what the path is. */
    @Nullable
    OpenFile behindProc(LinuxPath path, String call) throws LinuxException {
        LinuxPath proc = LinuxPath.of("/proc/self/fd");
        if (!path.startsWith(proc)) {
            return null;
        }
        return get(new Fd(Integer.parseInt(path.fileName().toString())), call);
    }

    /** Asks the interference, by the name that a descriptor was opened by. */
    void before(String call, Fd fd) throws LinuxException {
        interference.before(call, interference.equals(Interference.NONE) ? "" : subject(fd));
    }

    void before(String call, Fd directory, LinuxPath path) throws LinuxException {
        if (interference.equals(Interference.NONE)) {
            return;
        }
        String start = path.isAbsolute() || directory.equals(Fd.CURRENT_DIRECTORY) ? "" : subject(directory) + "/";
        interference.before(call, start + path);
    }

    String subject(Fd fd) {
        OpenFile file = descriptors.get(fd.number());
        if (file == null) {
            return fd.toString();
        }
        Dentry dentry = file.dentry;
        if (file.inode == null) {
            return file.inotify != null ? "inotify" : file.interests != null ? "epoll" : "eventfd";
        }
        return dentry == null ? "unnamed " + file.inode : pathOf(dentry);
    }

    private static String pathOf(Dentry dentry) {
        var path = new StringBuilder("/" + dentry.name);
        for (Inode directory = dentry.parent; directory.place != null; directory = directory.place.parent) {
            path.insert(0, "/" + directory.place.name);
        }
        return path.toString();
    }
}
