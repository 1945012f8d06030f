package tailrace.core.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.core.ledger.Ledger;
import tailrace.core.track.TrackedFile;
import tailrace.core.track.Tracker;

/**
 * When files get their pins, and lose them: a pin is found again by the file's number, which must be durable first, and goes
 * when the record of the last delivery is durable.
 */
final class Pinning {
    private final Ledger ledger;
    private final Tracker tracker;
    private final AfterCommit afterCommit;

    /** Where in the ledger each file that was found in this run was first written down. */
    private final Map<TrackedFile, Long> firstWritten = new HashMap<>();

    /** Where in the ledger the last delivery of each pinned file stands, until it is durable. */
    private final Map<TrackedFile, Long> lastDelivered = new HashMap<>();

    Pinning(Ledger ledger, Tracker tracker, AfterCommit afterCommit) {
        this.ledger = ledger;
        this.tracker = tracker;
        this.afterCommit = afterCommit;
    }

    /** A file's state was appended to the ledger. */
    void written(TrackedFile file, long position) {
        firstWritten.putIfAbsent(file, position);
    }

    void forget(TrackedFile file) {
        firstWritten.remove(file);
    }

    void pinWhenKnown(TrackedFile file) {
        long known = firstWritten.getOrDefault(file, 0L);
        if (ledger.isDurable(known)) {
            tracker.pin(file);
        } else {
            ledger.hurry();
            afterCommit.run(known, () -> tracker.pin(file));
        }
    }

    /** Up to where the ledger must be durable for all files of a batch to be known. */
    long knownFrom(Batch batch) {
        long position = 0;
        for (Extent extent : batch.extents()) {
            position = Math.max(position, firstWritten.getOrDefault(tracker.byNumber(extent.file()), 0L));
        }
        return position;
    }

    /** A batch is delivered, which stands at a position of the ledger. */
    void unpinWhenKnown(Batch batch, long position) {
        List<TrackedFile> pinned = batch.extents().stream()
                .map(extent -> tracker.byNumber(extent.file()))
                .filter(TrackedFile::isPinned)
                .toList();
        if (!pinned.isEmpty()) {
            pinned.forEach(file -> lastDelivered.put(file, position));
            afterCommit.run(
                    position,
                    () -> tracker.unpinSettled(pinned.stream()
                            .filter(file ->
                                    lastDelivered.remove(file, position)) // or more of it was, which is not known yet
                            .toList()));
        }
    }
}
