package tailrace.core.watch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.linux.Fd;
import tailrace.linux.InotifyEvent;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.WatchCalls;

/**
 * Turns what the kernel tells about folders into {@link FileEvent}s. Watches are on folders, so ten thousand idle files
 * cost nothing. Where inotify cannot see (network filesystems, no watches left) the folders are listed every second.
 *
 * <p>For the loop's thread alone, but for {@link #wake}.
 */
public final class Watcher implements AutoCloseable {
    /** How often polled folders are listed and missing ones looked for. */
    private static final long POLL_NANOS = 1_000_000_000L;

    private static final long MILLI_NANOS = 1_000_000L;

    /** How long the first half of a rename waits for its other half, which the kernel queues right behind it. */
    private static final int RENAME_MILLIS = 2;

    /** Reads of at most 64 KiB each in one poll; the rest waits for the next, so that other work gets its turn. */
    private static final int MAX_READS = 64;

    private record HalfRename(LinuxPath from, boolean folder) {}

    private final WatchCalls watches;
    private final Kernel kernel;
    private final Clock clock;
    private final EventLog log;
    private final Fd inotify;
    private final Fd epoll;
    private final Fd wakeup;
    private final Folders folders;
    private final Map<Integer, HalfRename> halfRenames = new LinkedHashMap<>();
    private long polledAtNanos;

    /** @param own the agent's own folders: nothing in them is reported */
    public Watcher(Kernel kernel, List<Source> sources, List<LinuxPath> own, SafeOpen open, Clock clock, EventLog log)
            throws LinuxException {
        this.kernel = kernel;
        this.watches = kernel.watches();
        this.clock = clock;
        this.log = log;
        this.inotify = watches.inotify();
        this.epoll = watches.epoll();
        this.wakeup = watches.eventfd();
        watches.register(epoll, inotify);
        watches.register(epoll, wakeup);
        this.folders = new Folders(kernel, sources, own, open, inotify, log);
    }

    /** Watches every folder there is and reports every file in them. Called once, before the first poll. */
    public List<FileEvent> start() throws LinuxException {
        polledAtNanos = clock.nanos();
        return rescan();
    }

    /**
     * Waits for something to happen.
     *
     * @param timeoutMillis at most this long; 0 to look only
     * @return what happened, in order; empty after the timeout or {@link #wake}
     */
    public List<FileEvent> poll(long timeoutMillis) throws LinuxException {
        long millis = halfRenames.isEmpty() ? timeoutMillis : Math.min(timeoutMillis, RENAME_MILLIS);
        if (folders.needPolling()) {
            long left = polledAtNanos + POLL_NANOS - clock.nanos();
            millis = Math.clamp(Math.ceilDiv(left, MILLI_NANOS), 0, millis); // rounded down it would spin for the rest
        }
        List<Integer> halvesBefore = List.copyOf(halfRenames.keySet());
        var events = new ArrayList<FileEvent>();
        if (watches.await(epoll, (int) Math.min(millis, Integer.MAX_VALUE)) > 0) {
            watches.clear(wakeup);
            readAll(events);
        }
        for (int cookie : halvesBefore) {
            giveUpHalf(cookie, events);
        }
        if (folders.needPolling() && clock.nanos() - polledAtNanos >= POLL_NANOS) {
            polledAtNanos = clock.nanos();
            folders.listPolled(events);
        }
        return events;
    }

    private void readAll(List<FileEvent> events) throws LinuxException {
        for (int reads = 0; reads < MAX_READS; reads++) {
            List<InotifyEvent> read = watches.readEvents(inotify);
            if (read.isEmpty()) {
                return;
            }
            for (InotifyEvent event : read) {
                translate(event, events);
            }
        }
    }

    private void translate(InotifyEvent event, List<FileEvent> events) throws LinuxException {
        if (event.has(InotifyEvent.OVERFLOW)) {
            log.report(Event.EVENTS_OVERFLOWED, "inotify", "raise fs.inotify.max_queued_events if this repeats");
            events.addAll(rescan());
            return;
        }
        if (folders.isFollowed(event.watch())) {
            events.add(new FileEvent.Stirred(event.watch()));
            return;
        }
        LinuxPath folder = folders.of(event.watch());
        if (folder == null) {
            return; // an event that was queued before its watch was removed
        }
        if (event.has(
                InotifyEvent.DELETE_SELF | InotifyEvent.MOVE_SELF | InotifyEvent.UNMOUNT | InotifyEvent.IGNORED)) {
            folderGone(folder, event, events);
            return;
        }
        LinuxPath path = folder.resolve(event.name());
        if (event.has(InotifyEvent.IS_DIRECTORY)) {
            translateFolder(event, path, events);
        } else {
            translateFile(event, path, events);
        }
    }

    /** The folder itself is gone, or a root was moved: its parent, if watched, has told us where to. */
    private void folderGone(LinuxPath folder, InotifyEvent event, List<FileEvent> events) throws LinuxException {
        if (event.has(InotifyEvent.MOVE_SELF) && !folders.isRoot(folder)) {
            return;
        }
        folders.forget(folder);
        events.add(new FileEvent.FolderVanished(folder));
    }

    private void translateFile(InotifyEvent event, LinuxPath path, List<FileEvent> events) {
        if (event.has(InotifyEvent.MOVED_FROM)) {
            halfRenames.put(event.cookie(), new HalfRename(path, false));
        } else if (event.has(InotifyEvent.MOVED_TO)) {
            HalfRename half = halfRenames.remove(event.cookie());
            events.add(half == null ? new FileEvent.Appeared(path) : new FileEvent.Moved(half.from, path));
        } else if (event.has(InotifyEvent.CREATE)) {
            events.add(new FileEvent.Appeared(path));
        } else if (event.has(InotifyEvent.DELETE)) {
            events.add(new FileEvent.Vanished(path));
        } else {
            var grew = new FileEvent.Grew(path);
            if (events.isEmpty() || !events.getLast().equals(grew)) {
                events.add(grew);
            }
        }
    }

    private void translateFolder(InotifyEvent event, LinuxPath path, List<FileEvent> events) throws LinuxException {
        if (event.has(InotifyEvent.MOVED_FROM)) {
            halfRenames.put(event.cookie(), new HalfRename(path, true));
        } else if (event.has(InotifyEvent.CREATE | InotifyEvent.MOVED_TO)) {
            HalfRename half = halfRenames.remove(event.cookie());
            if (half != null) {
                folders.forget(half.from);
            }
            folders.add(path, events);
            if (half != null) {
                events.add(new FileEvent.FolderVanished(half.from));
            }
        }
    }

    /** The other half of a rename did not come: the name was moved to where nothing is watched. */
    private void giveUpHalf(int cookie, List<FileEvent> events) throws LinuxException {
        HalfRename half = halfRenames.remove(cookie);
        if (half == null) {
            return;
        }
        if (half.folder) {
            folders.forget(half.from);
            events.add(new FileEvent.FolderVanished(half.from));
        } else {
            events.add(new FileEvent.Vanished(half.from));
        }
    }

    /** Reports every file again, as after an overflow. */
    public List<FileEvent> rescan() throws LinuxException {
        var events = new ArrayList<FileEvent>();
        folders.scanRoots(events);
        events.add(new FileEvent.Rescanned(folders.allReadable()));
        return events;
    }

    /**
     * Watches one file by its descriptor, whatever its name, so that it is still heard of when it has none that is
     * watched.
     *
     * @return the watch, as in {@link FileEvent.Stirred}; -1 if there is none left
     */
    public int follow(Fd file) {
        return folders.follow(file);
    }

    /** Ends what {@link #follow} began. */
    public void unfollow(int watch) throws LinuxException {
        folders.unfollow(watch);
    }

    /** Ends a poll that waits. Callable from any thread. */
    public void wake() {
        try {
            watches.signal(wakeup);
        } catch (LinuxException e) {
            throw new IllegalStateException(e); // EBADF: the watcher was closed before those who wake it
        }
    }

    @Override
    public void close() throws LinuxException {
        kernel.files().close(inotify);
        kernel.files().close(epoll);
        kernel.files().close(wakeup);
    }
}
