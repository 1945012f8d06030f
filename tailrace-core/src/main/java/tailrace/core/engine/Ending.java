package tailrace.core.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.batch.Batch;
import tailrace.core.batch.BatchPlanner;
import tailrace.core.deliver.Couriers;
import tailrace.core.manifest.Archive;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.PendingRange;
import tailrace.core.track.EphemeralDisks;
import tailrace.core.track.Route;
import tailrace.core.track.Tracker;
import tailrace.core.track.Urgency;
import tailrace.core.watch.Watcher;
import tailrace.linux.LinuxException;

/**
 * How the engine comes to its end, or is prepared for that of its instance. What is wished may come from any thread; the
 * loop fulfils it.
 */
final class Ending {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 2);

    /** Whom it tells. */
    record Stages(Watcher watcher, Tracker tracker, BatchPlanner planner, Couriers couriers, Bookkeeping books) {}

    /**
     * That the engine comes to its end, or is prepared for it.
     *
     * @param within so much time from now; longer than {@link #LONGEST} if there is no haste
     * @param ends whether it ends when all is delivered
     */
    private record Wish(Duration within, boolean ends) {
        boolean isUrgent() {
            return within.compareTo(LONGEST) < 0;
        }

        long deadlineNanos(long nowNanos) {
            return isUrgent() ? nowNanos + within.toNanos() : Long.MAX_VALUE;
        }
    }

    private final Clock clock;
    private final EventLog log;
    private final String host;
    private final String id;
    private final List<Route> routes;
    private final EphemeralDisks ephemeral;
    private final Stages stages;
    private final ConcurrentLinkedQueue<Wish> wishes = new ConcurrentLinkedQueue<>();
    private long deadlineNanos = Long.MAX_VALUE;
    private int announcements;

    /** @param id of the ledger and this run */
    Ending(
            Clock clock,
            EventLog log,
            String host,
            String id,
            List<Route> routes,
            EphemeralDisks ephemeral,
            Stages stages) {
        this.clock = clock;
        this.log = log;
        this.host = host;
        this.id = id;
        this.routes = routes;
        this.ephemeral = ephemeral;
        this.stages = stages;
    }

    /** Safe for all threads; the loop must be woken. */
    void wish(Duration within, boolean ends) {
        wishes.add(new Wish(within, ends));
    }

    boolean isWished() {
        return !wishes.isEmpty();
    }

    /** When the engine ends even if bytes are pending. */
    long deadlineNanos() {
        return deadlineNanos;
    }

    /** @param outstanding the batches that are sealed and not delivered */
    void fulfilWishes(Collection<Batch> outstanding) throws LinuxException {
        for (Wish wish = wishes.poll(); wish != null; wish = wishes.poll()) {
            fulfil(wish, outstanding);
        }
    }

    private void fulfil(Wish wish, Collection<Batch> outstanding) throws LinuxException {
        long wishedNanos = wish.deadlineNanos(clock.nanos());
        if (wish.ends) {
            log.report(Event.DRAINING, host, wish.isUrgent() ? "at most " + wish.within : "");
            deadlineNanos = Math.min(deadlineNanos, wishedNanos);
            stages.planner.drain();
        } else {
            log.report(Event.HASTENING, host, "in " + wish.within);
        }
        stages.tracker.observe(stages.watcher.rescan()); // what has come or grown and was not told yet
        if (wish.isUrgent()) {
            stages.planner.hasten(ephemeral);
            stages.couriers.hasten(wishedNanos, this::urgency);
            announcements++;
            routes.forEach(route -> announce(route, outstanding));
        }
    }

    /** That of its most urgent file, as things are now. */
    private Urgency urgency(Batch batch) {
        return batch.extents().stream()
                .map(extent -> ephemeral.urgency(stages.tracker.byNumber(extent.file())))
                .min(Comparator.naturalOrder())
                .orElse(Urgency.LASTING);
    }

    /** A list of all that is not delivered: it is there if nothing else should come. */
    private void announce(Route route, Collection<Batch> outstanding) {
        List<PendingRange> pending = stages.books.pending(route, outstanding, host, clock.now());
        if (!pending.isEmpty()) {
            String name = "%s-%02d".formatted(id, announcements);
            stages.couriers.announce(
                    route, Archive.finalManifestKey(host, route.source().name(), name), ManifestCodec.toLines(pending));
        }
    }
}
