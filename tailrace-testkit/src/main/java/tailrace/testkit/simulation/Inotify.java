package tailrace.testkit.simulation;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tailrace.linux.InotifyEvent;
import tailrace.linux.LinuxPath;

/** An inotify instance: watches, and a queue that overflows. */
final class Inotify {
    private static final LinuxPath NO_NAME = LinuxPath.of("");
    private static final int MAX_READ = 1000;

    private record Watch(int number, Inode inode, int mask) {}

    private final Map<Inode, Watch> watches = new LinkedHashMap<>();
    private final Deque<InotifyEvent> queue = new ArrayDeque<>();
    private final int maxQueued;
    private int nextNumber = 1;

    Inotify(int maxQueued) {
        this.maxQueued = maxQueued;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    int watches() {
        return watches.size();
    }

    boolean watches(Inode inode) {
        return watches.containsKey(inode);
    }

    int watch(Inode inode, int mask) {
        Watch known = watches.get(inode);
        var watch = new Watch(known == null ? nextNumber++ : known.number, inode, mask);
        watches.put(inode, watch);
        return watch.number;
    }

    void unwatch(int number) {
        for (Watch watch : List.copyOf(watches.values())) {
            if (watch.number == number) {
                watches.remove(watch.inode);
                add(new InotifyEvent(number, InotifyEvent.IGNORED, 0, NO_NAME));
            }
        }
    }

    /** The inode is gone for good. */
    void forget(Inode inode) {
        Watch watch = watches.get(inode);
        if (watch != null) {
            tell(inode, InotifyEvent.DELETE_SELF, 0, null);
            watches.remove(inode);
            add(new InotifyEvent(watch.number, InotifyEvent.IGNORED, 0, NO_NAME));
        }
    }

    /** Something happened to an inode that may be watched, or to a name in a directory that may be. */
    void tell(Inode watched, int event, int cookie, @Nullable LinuxPath name) {
        Watch watch = watches.get(watched);
        if (watch != null && (watch.mask & event & ~InotifyEvent.IS_DIRECTORY) != 0) {
            add(new InotifyEvent(watch.number, event, cookie, name == null ? NO_NAME : name));
        }
    }

    private void add(InotifyEvent event) {
        if (event.equals(queue.peekLast())) {
            return; // merged, as the kernel does with the last one
        }
        if (queue.size() < maxQueued) {
            queue.add(event);
        } else if (queue.size() == maxQueued) {
            queue.add(new InotifyEvent(-1, InotifyEvent.OVERFLOW, 0, NO_NAME));
        }
    }

    List<InotifyEvent> read() {
        var events = new ArrayList<InotifyEvent>();
        while (events.size() < MAX_READ && !queue.isEmpty()) {
            events.add(queue.removeFirst());
        }
        return events;
    }
}
