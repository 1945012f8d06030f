package tailrace.testkit.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tailrace.linux.LinuxPath;

/**
 * A filesystem as ext4 is one: an inode number is given to the next file at once, under another generation; changes of
 * directories survive a power cut in the order they were made, up to the last one that was synced and some of the rest;
 * bytes of a file survive if they were synced.
 */
final class Filesystem {
    private record Change(
            Inode directory, LinuxPath name, @Nullable Inode inode) {}

    private final String name;
    private final int device;
    private final Map<Long, Inode> inodes = new TreeMap<>();
    private final TreeSet<Long> freeNumbers = new TreeSet<>();

    /** Not durable yet; each group happens together or not at all. */
    private final List<List<Change>> journal = new ArrayList<>();

    private final Inode root;
    private long nextNumber = 2;
    private int nextGeneration = 1;
    private long usedBytes;
    private long sizeBytes = Long.MAX_VALUE / 2;
    private boolean readOnly;

    Filesystem(String name, int device, Instant now) {
        this.name = name;
        this.device = device;
        this.root = make(Inode.DIRECTORY | 0755, now);
        root.links = 1;
    }

    String name() {
        return name;
    }

    int device() {
        return device;
    }

    Inode root() {
        return root;
    }

    Inode make(int mode, Instant now) {
        Long free = freeNumbers.pollFirst();
        long number = free == null ? nextNumber++ : free;
        var inode = new Inode(this, number, nextGeneration++, mode, now);
        inodes.put(number, inode);
        return inode;
    }

    /** Gives back what has neither a name nor an opener. */
    boolean freeIfUnused(Inode inode) {
        if (inode.links > 0 || inode.openers > 0 || inodes.get(inode.number) != inode) {
            return false;
        }
        inodes.remove(inode.number);
        freeNumbers.add(inode.number);
        usedBytes -= inode.size();
        return true;
    }

    @Nullable
    Inode find(long number, int generation) {
        Inode inode = inodes.get(number);
        return inode != null && inode.generation == generation && inode.links > 0 ? inode : null;
    }

    Collection<Inode> all() {
        return inodes.values();
    }

    void limit(long bytes) {
        sizeBytes = bytes;
    }

    void readOnly(boolean wanted) {
        readOnly = wanted;
    }

    boolean isReadOnly() {
        return readOnly;
    }

    long availableBytes() {
        return Math.max(0, sizeBytes - usedBytes);
    }

    long sizeBytes() {
        return sizeBytes;
    }

    void use(long moreBytes) {
        usedBytes += moreBytes;
    }

    /** Notes a change of one name; with {@code atOnce} it survives from now on. */
    void change(boolean atOnce, Inode directory, LinuxPath entry, @Nullable Inode inode) {
        record(atOnce, List.of(new Change(directory, entry, inode)));
    }

    /** Notes a rename, which survives whole or not at all. */
    void change(boolean atOnce, Dentry from, Inode toDirectory, LinuxPath to) {
        record(atOnce, List.of(new Change(from.parent, from.name, null), new Change(toDirectory, to, from.inode)));
    }

    private void record(boolean atOnce, List<Change> changes) {
        if (atOnce) {
            flush(journal.size()); // a journal keeps the order
            changes.forEach(Filesystem::apply);
        } else {
            journal.add(changes);
        }
    }

    private static void apply(Change change) {
        if (change.inode == null) {
            change.directory.durableEntries.remove(change.name);
        } else {
            change.directory.durableEntries.put(change.name, change.inode);
        }
    }

    /** fsync of a directory: its changes, and all that were made before the last of them, survive. */
    void sync(Inode directory) {
        int last = -1;
        for (int i = 0; i < journal.size(); i++) {
            if (journal.get(i).stream().anyMatch(change -> change.directory == directory)) {
                last = i;
            }
        }
        flush(last + 1);
    }

    private void flush(int groups) {
        journal.subList(0, groups).forEach(changes -> changes.forEach(Filesystem::apply));
        journal.subList(0, groups).clear();
    }

    void syncAll() {
        flush(journal.size());
        inodes.values().forEach(Inode::sync);
    }

    void powerCut(PowerCut cut) {
        flush(cut.choose(journal.size() + 1));
        journal.clear();
        inodes.values().forEach(inode -> {
            inode.links = inode == root ? 1 : 0;
            inode.openers = 0;
            inode.writers = 0;
        });
        for (Inode directory : List.copyOf(inodes.values())) {
            directory.entries.clear();
            directory.durableEntries.forEach((entry, inode) -> {
                var dentry = new Dentry(directory, entry, inode);
                directory.entries.put(entry, dentry);
                inode.links++;
                if (inode.is(Inode.DIRECTORY)) {
                    inode.place = dentry;
                }
            });
        }
        usedBytes = 0;
        for (Inode inode : List.copyOf(inodes.values())) {
            inode.tear(cut);
            usedBytes += inode.size();
            freeIfUnused(inode);
        }
    }
}
