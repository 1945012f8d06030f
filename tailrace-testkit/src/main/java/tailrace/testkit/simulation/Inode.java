package tailrace.testkit.simulation;

import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tailrace.linux.LinuxPath;

/** A file, directory or symbolic link of a {@link Filesystem}, whatever its names. */
final class Inode {
    static final int TYPE_MASK = 0170000;
    static final int REGULAR = 0100000;
    static final int DIRECTORY = 0040000;
    static final int SYMBOLIC_LINK = 0120000;

    final Filesystem filesystem;
    final long number;
    final int generation;
    final int mode;
    final Instant birth;
    Instant modified;
    int links;
    int openers;
    int writers;

    /** Names in a directory. */
    final Map<LinuxPath, Dentry> entries = new LinkedHashMap<>();

    /** What a power cut leaves of {@link #entries}. */
    final Map<LinuxPath, Inode> durableEntries = new LinkedHashMap<>();

    /** Where a directory lies; null for a root. */
    @Nullable
    Dentry place;

    /** What a symbolic link says. */
    LinuxPath target = LinuxPath.of("");

    private byte[] bytes = new byte[0];
    private int size;

    /** What a power cut leaves for sure; null while that is all there is. */
    private byte @Nullable [] durable;

    Inode(Filesystem filesystem, long number, int generation, int mode, Instant now) {
        this.filesystem = filesystem;
        this.number = number;
        this.generation = generation;
        this.mode = mode;
        this.birth = now;
        this.modified = now;
    }

    boolean is(int type) {
        return (mode & TYPE_MASK) == type;
    }

    int size() {
        return size;
    }

    int read(long position, byte[] into, int length) {
        int n = (int) Math.max(0, Math.min(length, size - position));
        if (n > 0) {
            System.arraycopy(bytes, (int) position, into, 0, n);
        }
        return n;
    }

    void write(long position, byte[] source, int length, Instant now) {
        keepDurable();
        int end = (int) position + length;
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
        }
        System.arraycopy(source, 0, bytes, (int) position, length);
        size = Math.max(size, end);
        modified = now;
    }

    void truncate(long length, Instant now) {
        keepDurable();
        if (length > bytes.length) {
            bytes = Arrays.copyOf(bytes, (int) length);
        }
        if (length < size) {
            Arrays.fill(bytes, (int) length, size, (byte) 0);
        }
        size = (int) length;
        modified = now;
    }

    private void keepDurable() {
        if (durable == null) {
            durable = Arrays.copyOf(bytes, size);
        }
    }

    /** fdatasync: what is there now survives a power cut. */
    void sync() {
        durable = null;
    }

    /** After a power cut: each sector that was not synced is as it was before or after, and so is the size. */
    void tear(PowerCut cut) {
        byte[] before = durable;
        if (before == null) {
            return;
        }
        int least = Math.min(before.length, size);
        int most = Math.max(before.length, size);
        int newSize = least + cut.choose(most - least + 1);
        byte[] torn = new byte[newSize];
        for (int at = 0; at < newSize; at += PowerCut.SECTOR_BYTES) {
            boolean written = cut.choose(2) == 0;
            byte[] from = written ? bytes : before;
            int known = written ? size : before.length;
            int end = Math.min(Math.min(newSize, at + PowerCut.SECTOR_BYTES), known);
            if (end > at) {
                System.arraycopy(from, at, torn, at, end - at);
            }
        }
        bytes = torn;
        size = newSize;
        durable = null;
    }

    byte[] content() {
        return Arrays.copyOf(bytes, size);
    }

    @Override
    public String toString() {
        return filesystem.name() + ":" + number + "." + generation;
    }
}
