package tailrace.core.track;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.linux.Fd;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/**
 * What becomes of a file's bytes when it begins anew at its start: those that were not read are in the copy that a
 * copytruncate rotation has made, or lost.
 */
final class Epochs {
    /** How long a new file that looks like a copy may rest before it is a file of its own. */
    private static final long COPY_NANOS = 5_000_000_000L;

    private final FileTable table;
    private final Lineage lineage;
    private final FileFinder finder;
    private final Descriptors descriptors;
    private final RecentNames strangers;
    private final Notes notes;
    private final List<Route> routes;
    private final Clock clock;
    private final EventLog log;

    /** Files that were found to have begun anew, and why one says so. */
    private final Map<TrackedFile, LossReason> ending = new LinkedHashMap<>();

    Epochs(
            FileTable table,
            Lineage lineage,
            FileFinder finder,
            Descriptors descriptors,
            RecentNames strangers,
            Notes notes,
            List<Route> routes,
            Clock clock,
            EventLog log) {
        this.table = table;
        this.lineage = lineage;
        this.finder = finder;
        this.descriptors = descriptors;
        this.strangers = strangers;
        this.notes = notes;
        this.routes = routes;
        this.clock = clock;
        this.log = log;
    }

    /**
     * The file does not go on where it was left. Its epoch ends when all events are known that were told before this was
     * seen, since one of them may tell of the copy: see {@link #ending}.
     */
    void end(TrackedFile file, LossReason reason) {
        ending.putIfAbsent(file, reason);
    }

    boolean isEnding(TrackedFile file) {
        return ending.containsKey(file);
    }

    /** Files whose epoch is to be ended by {@link #begin} after the next events. */
    List<TrackedFile> ending() {
        return List.copyOf(ending.keySet());
    }

    /** A file that is {@link #ending} has {@code size} other bytes now. */
    void begin(TrackedFile file, long size) throws LinuxException {
        LossReason reason = Objects.requireNonNull(ending.get(file));
        String how = reason == LossReason.TRUNCATED ? "shrank from " + file.seen() + " to " : "was rewritten, now ";
        log.report(Event.FILE_TRUNCATED, file, how + size + " bytes");
        Optional<TrackedFile> copy = findCopy(file);
        if (copy.isPresent()) {
            handOver(file, copy.get());
        } else {
            loseUnsealed(file, reason);
        }
        lineage.forget(file);
        file.beginEpoch(size);
        file.grownAtNanos = clock.nanos();
        ending.remove(file);
        notes.changed(file);
    }

    /** Among new files that match and of which nothing was sealed, and the last names nearby that do not match. */
    private Optional<TrackedFile> findCopy(TrackedFile truncated) throws LinuxException {
        TrackedFile best = null;
        long bestSize = -1;
        for (TrackedFile file : table.all()) {
            Fd fd = file.fd;
            if (fd != null && file != truncated && file.isUntouched() && lineage.isCopy(truncated, file, fd)) {
                long size = lineage.sizeOf(fd);
                if (size >= bestSize) { // the longest, and of those the latest: others are earlier copies
                    best = file;
                    bestSize = size;
                }
            }
        }
        for (LinuxPath name : namesNear(truncated)) {
            Optional<FileFinder.Found> found = finder.openQuietly(name);
            if (found.isPresent()) {
                Optional<TrackedFile> copy = adoptIfCopy(truncated, found.get(), name, bestSize);
                if (copy.isPresent()) {
                    return copy;
                }
            }
        }
        return Optional.ofNullable(best);
    }

    /** Where a copy of it may be that matches no pattern: beside it, or where it was before it was moved. */
    private List<LinuxPath> namesNear(TrackedFile file) {
        var names = new ArrayList<LinuxPath>(strangers.in(file.path().parent()));
        if (!file.firstPath().parent().equals(file.path().parent())) {
            names.addAll(strangers.in(file.firstPath().parent()));
        }
        return names;
    }

    private Optional<TrackedFile> adoptIfCopy(
            TrackedFile truncated, FileFinder.Found found, LinuxPath name, long longerThan) throws LinuxException {
        boolean isCopy = false;
        try {
            isCopy = found.status().sizeBytes() > longerThan
                    && table.identified(found.identity()) == null
                    && lineage.isCopy(truncated, null, found.fd());
        } finally {
            if (!isCopy) {
                finder.close(found);
            }
        }
        if (!isCopy) {
            return Optional.empty();
        }
        var file = new TrackedFile(table.takeNumber(), found.identity(), name, routes.size());
        file.locate(found.status());
        file.grow(found.status().sizeBytes());
        table.add(file);
        table.name(file, name);
        descriptors.keep(file, found.fd());
        if (file.fd == null) {
            table.remove(file); // no descriptor is left for it
            return Optional.empty();
        }
        return Optional.of(file);
    }

    private void handOver(TrackedFile original, TrackedFile copy) throws LinuxException {
        log.report(Event.COPY_RECOGNISED, copy, "copy of " + original);
        Fd fd = Objects.requireNonNull(copy.fd, "a copy is found by its content");
        copy.grow(lineage.sizeOf(fd));
        long size = copy.seen();
        int guardAtSize = lineage.guardAt(fd, size);
        for (Route route : routes) {
            Progress from = original.on(route);
            if (from != null) {
                var to = new Progress();
                for (Range gone : to.continueFrom(from, original.seen(), size, guardAtSize)) {
                    notes.lost(new Loss(original, route, original.epoch(), gone, LossReason.TRUNCATED));
                }
                copy.join(route, to);
            }
        }
        copy.young = false;
        copy.copyOf = null;
        copy.inherit(new Inheritance(original.number(), original.epoch(), size));
        notes.changed(copy);
        notes.grown(copy);
    }

    /** Whether a new file is probably a copy in the making. */
    boolean isHeldAsCopy(TrackedFile file) throws LinuxException {
        if (!file.young) {
            return false;
        }
        TrackedFile original = lineage.recognise(file);
        if (original != null && lineage.isCut(original)) {
            end(original, LossReason.TRUNCATED); // before it is told of
            return true;
        }
        boolean rests = clock.nanos() - file.grownAtNanos > COPY_NANOS;
        file.young = original != null && !rests;
        return file.young;
    }

    /** What was seen of the file and is not in a batch is gone. */
    void loseUnsealed(TrackedFile file, LossReason reason) {
        for (Route route : routes) {
            Progress p = file.on(route);
            if (p == null) {
                continue;
            }
            p.returned().forEach(range -> notes.lost(new Loss(file, route, file.epoch(), range, reason)));
            if (p.sealed() < file.seen()) {
                notes.lost(new Loss(file, route, file.epoch(), new Range(p.sealed(), file.seen()), reason));
            }
            p.loseUnsealed(file.seen());
        }
        notes.changed(file);
    }

    /** Sealed bytes of an epoch that has ended could not be delivered any more: they are the copy's to deliver, or lost. */
    void endOutstanding(TrackedFile file, Route route, Progress progress, int epoch, Range range) {
        LossReason reason = file.released
                ? LossReason.PIN_RELEASED
                : file.unlinked ? LossReason.DELETED_UNOPENED : LossReason.OVERWRITTEN;
        Inheritance.settle(table.all(), file, route, progress, epoch, range, heir -> {
                    notes.changed(heir);
                    notes.grown(heir);
                })
                .ifPresent(gone -> notes.lost(new Loss(file, route, epoch, gone, reason)));
    }
}
