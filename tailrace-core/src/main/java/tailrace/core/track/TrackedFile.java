package tailrace.core.track;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tailrace.linux.Fd;
import tailrace.linux.FileStatus;
import tailrace.linux.LinuxPath;

/**
 * One file that is followed, from its first sight until it is gone and delivered. Belongs to the loop's thread; only
 * the {@link Tracker} changes what is not {@link Progress}.
 */
public final class TrackedFile {
    private final int number;
    private FileIdentity identity;
    private final @Nullable Progress[] progress;

    /** The path it was first seen under: what its keys are made of, whatever it is called later. */
    private final LinuxPath firstPath;

    private int epoch;
    private long seen;
    private long seenBefore;

    final List<LinuxPath> paths = new ArrayList<>(1);

    @Nullable
    Fd fd;

    long inode;
    long device;
    long grownAtNanos;
    Instant modified = Instant.EPOCH;
    int headCrc;
    int watch = -1;

    /** Whether it was found in this run; if not, it is only known from the ledger. */
    boolean located;

    /** New, so it may be the copy that a copytruncate rotation makes of another. */
    boolean young;

    /** The file, in the epoch, whose copy this one looked like when it was last compared. */
    @Nullable
    TrackedFile copyOf;

    int copiedEpoch;

    private @Nullable Inheritance inheritance;

    /** Its last name was deleted; what is left is what we hold open, or our pin. */
    boolean unlinked;

    /** The second name that keeps it: see {@link Pins}. */
    @Nullable
    LinuxPath pin;

    /** It was given up to keep the budget. */
    boolean released;

    public TrackedFile(int number, FileIdentity identity, LinuxPath firstPath, int routes) {
        this.number = number;
        this.identity = identity;
        this.firstPath = firstPath;
        this.progress = new Progress[routes];
    }

    /** A file as the ledger remembers it. */
    public static TrackedFile restored(
            int number, FileIdentity identity, LinuxPath firstPath, int routes, int epoch, long seen, long seenBefore) {
        var file = new TrackedFile(number, identity, firstPath, routes);
        file.epoch = epoch;
        file.seen = seen;
        file.seenBefore = seenBefore;
        return file;
    }

    /** What the ledger calls it. */
    public int number() {
        return number;
    }

    public FileIdentity identity() {
        return identity;
    }

    public LinuxPath firstPath() {
        return firstPath;
    }

    /** A name it has now, or the last one it had. */
    public LinuxPath path() {
        return paths.isEmpty() ? firstPath : paths.getFirst();
    }

    /** How it can be opened now: by a name it has, or by its pin. */
    public LinuxPath reachablePath() {
        LinuxPath kept = pin;
        return hasName() || kept == null ? path() : kept;
    }

    /** Whether it has a second name that outlives its deletion. */
    public boolean isPinned() {
        return pin != null;
    }

    boolean isReachable() {
        return hasName() || pin != null;
    }

    public boolean hasName() {
        return !paths.isEmpty();
    }

    /** Open for reading, unless the descriptor limit forbids. */
    public @Nullable Fd fd() {
        return fd;
    }

    /** Counts up whenever the file begins anew at its start. */
    public int epoch() {
        return epoch;
    }

    /** How many bytes of this epoch are known to be there. */
    public long seen() {
        return seen;
    }

    /** How many bytes earlier epochs had. */
    public long seenBefore() {
        return seenBefore;
    }

    public long grownAtNanos() {
        return grownAtNanos;
    }

    /** How far it has come on a route; null if it does not travel there. */
    public @Nullable Progress on(Route route) {
        return progress[route.index()];
    }

    public void join(Route route, Progress begun) {
        progress[route.index()] = begun;
    }

    /** Whose copy it is, if it is known to be one. */
    public @Nullable Inheritance inheritance() {
        return inheritance;
    }

    public void inherit(Inheritance of) {
        inheritance = of;
    }

    /** It is known under another filesystem id from now on. */
    void identify(FileIdentity newIdentity) {
        identity = newIdentity;
    }

    /** It was found in this run. */
    void locate(FileStatus status) {
        located = true;
        inode = status.inode();
        device = status.device();
    }

    /** Whether nothing was sealed of it in this epoch. */
    boolean isUntouched() {
        for (Progress p : progress) {
            if (p != null && (p.sealed() > 0 || p.outstandingBytes() > 0)) {
                return false;
            }
        }
        return true;
    }

    /** A copy has at least so many bytes: those that were sealed, and all that was seen if nothing was. */
    long leastOfCopy() {
        return sealedMost() > 0 ? sealedMost() : seen;
    }

    /** Up to where it was sealed on the route where it has come farthest. */
    long sealedMost() {
        long most = 0;
        for (Progress p : progress) {
            if (p != null) {
                most = Math.max(most, p.sealed());
            }
        }
        return most;
    }

    void grow(long size) {
        seen = size;
    }

    void beginEpoch(long size) {
        seenBefore += seen;
        epoch++;
        seen = size;
        headCrc = 0;
        for (Progress p : progress) {
            if (p != null) {
                p.beginEpoch();
            }
        }
    }

    @Nullable
    Progress[] allProgress() {
        return progress;
    }

    /** The file's books on one route. */
    public Books books(Route route) {
        Progress p = progress[route.index()];
        if (p == null) {
            return Books.EMPTY;
        }
        long pending = seen - p.sealed() + p.returnedBytes() + p.outstandingBytes();
        return new Books(
                seenBefore + seen - p.elsewhereBytes(), p.deliveredBytes(), pending, p.lostBytes(), p.filteredBytes());
    }

    /** Whether bytes of it are in batches that are not delivered. */
    boolean isUnderWay() {
        for (Progress p : progress) {
            if (p != null && p.outstandingBytes() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether nothing is left to seal or to deliver on any route. */
    public boolean isSettled() {
        for (Progress p : progress) {
            if (p != null
                    && (p.sealed() < seen
                            || p.outstandingBytes() > 0
                            || !p.returned().isEmpty())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return path().toString();
    }
}
