package tailrace.core.engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tailrace.core.batch.Batch;
import tailrace.core.ledger.LedgerRecord;
import tailrace.core.manifest.ManifestEntry;
import tailrace.core.manifest.PendingRange;
import tailrace.core.track.Books;
import tailrace.core.track.Progress;
import tailrace.core.track.Range;
import tailrace.core.track.Route;
import tailrace.core.track.TrackedFile;
import tailrace.core.track.Tracker;

/** The books of all files, those that are forgotten included: for people, and for snapshots of the ledger. */
final class Bookkeeping {
    private static final int LAGGING_SHOWN = 20;

    private final List<Route> routes;
    private final Tracker tracker;
    private final Map<String, Books> closed = new HashMap<>();

    Bookkeeping(List<Route> routes, Tracker tracker) {
        this.routes = routes;
        this.tracker = tracker;
    }

    /** Takes over the books of files that earlier runs have forgotten. */
    void restore(Map<String, Books> earlier) {
        closed.putAll(earlier);
    }

    /** A file is about to be forgotten. */
    void close(TrackedFile file) {
        for (Route route : routes) {
            if (file.on(route) != null) {
                closed.merge(route.name(), file.books(route), Books::plus);
            }
        }
    }

    Status status(String host, String ledger, Instant startedAt, boolean draining, long batchesDelivered) {
        var statuses = new ArrayList<Status.RouteStatus>();
        var lagging = new ArrayList<Status.FileStatus>();
        for (Route route : routes) {
            Books sum = closed.getOrDefault(route.name(), Books.EMPTY);
            for (TrackedFile file : tracker.all()) {
                Books books = file.books(route);
                sum = sum.plus(books);
                if (books.pending() > 0 && lagging.size() < LAGGING_SHOWN) {
                    lagging.add(new Status.FileStatus(file.toString(), route.name(), books));
                }
            }
            statuses.add(new Status.RouteStatus(route.name(), sum));
        }
        return new Status(
                host,
                ledger,
                startedAt,
                draining,
                tracker.all().size(),
                tracker.unreadable(),
                batchesDelivered,
                statuses,
                lagging);
    }

    /**
     * All that is not delivered on a route.
     *
     * @param outstanding the batches that are sealed and not delivered
     */
    List<PendingRange> pending(Route route, Collection<Batch> outstanding, String host, Instant now) {
        var parts = new ArrayList<ManifestEntry.Part>();
        for (Batch batch : outstanding) {
            if (batch.route().equals(route)) {
                parts.addAll(ManifestEntry.partsOf(batch));
            }
        }
        for (TrackedFile file : tracker.all()) {
            Progress progress = file.on(route);
            if (progress != null) {
                for (Range range : progress.unsealed(file.seen())) {
                    parts.add(new ManifestEntry.Part(
                            file.path(), file.identity().toString(), file.epoch(), range.from(), range.to()));
                }
            }
        }
        return parts.stream()
                .map(part -> new PendingRange(host, route.source().name(), now, part))
                .toList();
    }

    /** Adds the state of every file to a snapshot. */
    void addTo(List<LedgerRecord> snapshot) {
        closed.forEach((route, books) -> snapshot.add(
                new LedgerRecord.Closed(route, books.seen(), books.delivered(), books.lost(), books.filtered())));
        tracker.all().forEach(file -> snapshot.addAll(LedgerWords.states(file, routes)));
    }
}
