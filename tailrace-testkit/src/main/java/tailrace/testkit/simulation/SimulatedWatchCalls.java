package tailrace.testkit.simulation;

import java.util.List;
import java.util.OptionalInt;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.InotifyEvent;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.WatchCalls;

final class SimulatedWatchCalls implements WatchCalls {
    private final SimulatedKernel process;

    SimulatedWatchCalls(SimulatedKernel process) {
        this.process = process;
    }

    @Override
    public Fd inotify() throws LinuxException {
        interfere("inotify_init1", "new descriptor");
        return process.add(OpenFile.of(process.machine.listen(process.maxQueuedEvents())), "inotify_init1");
    }

    private void interfere(String call, String subject) throws LinuxException {
        process.interference.before(call, subject);
    }

    @Override
    public OptionalInt addWatch(Fd inotify, LinuxPath path, int mask) throws LinuxException {
        interfere("inotify_add_watch", path.toString());
        OpenFile behind = process.behindProc(path, "inotify_add_watch");
        Inode inode = behind != null ? behind.inode : named(path);
        if (inode == null) {
            return OptionalInt.empty();
        }
        if ((mask & InotifyEvent.ONLY_DIRECTORY) != 0 && !inode.is(Inode.DIRECTORY)) {
            throw new LinuxException("inotify_add_watch", Errno.ENOTDIR, path.toString());
        }
        Inotify instance = instance(inotify, "inotify_add_watch");
        if (!instance.watches(inode) && process.watched() >= process.maxWatches()) {
            throw new LinuxException("inotify_add_watch", Errno.ENOSPC, path.toString());
        }
        return OptionalInt.of(instance.watch(inode, mask));
    }

    private @org.jspecify.annotations.Nullable Inode named(LinuxPath path) throws LinuxException {
        try {
            Dentry dentry = process.machine
                    .resolve(process.machine.root(), path, true, true, "inotify_add_watch")
                    .dentry();
            return dentry == null ? null : dentry.inode;
        } catch (LinuxException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    private Inotify instance(Fd inotify, String call) throws LinuxException {
        Inotify instance = process.get(inotify, call).inotify;
        if (instance == null) {
            throw new LinuxException(call, Errno.EINVAL, inotify.toString());
        }
        return instance;
    }

    @Override
    public void removeWatch(Fd inotify, int watch) throws LinuxException {
        interfere("inotify_rm_watch", "watch " + watch);
        instance(inotify, "inotify_rm_watch").unwatch(watch);
    }

    @Override
    public List<InotifyEvent> readEvents(Fd inotify) throws LinuxException {
        interfere("read", "inotify");
        return instance(inotify, "read").read();
    }

    @Override
    public Fd epoll() throws LinuxException {
        interfere("epoll_create1", "new descriptor");
        return process.add(OpenFile.epoll(), "epoll_create1");
    }

    @Override
    public void register(Fd epoll, Fd fd) throws LinuxException {
        interfere("epoll_ctl", "epoll");
        interests(epoll).add(process.get(fd, "epoll_ctl"));
    }

    private List<OpenFile> interests(Fd epoll) throws LinuxException {
        List<OpenFile> interests = process.get(epoll, "epoll_pwait").interests;
        if (interests == null) {
            throw new LinuxException("epoll_pwait", Errno.EINVAL, epoll.toString());
        }
        return interests;
    }

    @Override
    public int await(Fd epoll, int timeoutMillis) throws LinuxException {
        interfere("epoll_pwait", "epoll");
        List<OpenFile> interests = interests(epoll);
        process.interference.await(timeoutMillis, () -> interests.stream().anyMatch(OpenFile::isReadable));
        return (int) interests.stream().filter(OpenFile::isReadable).count();
    }

    @Override
    public Fd eventfd() throws LinuxException {
        interfere("eventfd", "new descriptor");
        return process.add(OpenFile.eventfd(), "eventfd");
    }

    @Override
    public void signal(Fd eventfd) throws LinuxException {
        OpenFile file = process.get(eventfd, "write");
        file.events++;
    }

    @Override
    public void clear(Fd eventfd) throws LinuxException {
        OpenFile file = process.get(eventfd, "read");
        file.events = Math.min(file.events, 0);
    }
}
