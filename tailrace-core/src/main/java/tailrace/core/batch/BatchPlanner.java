package tailrace.core.batch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import tailrace.core.track.EphemeralDisks;
import tailrace.core.track.Route;
import tailrace.core.track.TrackedFile;
import tailrace.core.track.Tracker;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.FileCalls;

/**
 * Decides what travels together: groups new bytes per route and partition, and seals a batch when it is full, old
 * enough, or everything must go. It seals no more than the sinks can take, so a backlog is only a number. For the
 * loop's thread alone.
 */
public final class BatchPlanner {
    private final List<RoutePlanner> routes = new ArrayList<>();
    private boolean draining;

    /** @param ids gives each batch an id that was never used */
    public BatchPlanner(
            List<RoutePlan> plans,
            String host,
            Tracker tracker,
            FileCalls files,
            AlignedBuffer buffer,
            Supplier<BatchId> ids) {
        for (RoutePlan plan : plans) {
            routes.add(new RoutePlanner(plan, host, tracker, files, buffer, ids));
        }
    }

    /** From now on everything is due, unfinished records too. */
    public void drain() {
        draining = true;
        routes.forEach(RoutePlanner::drain);
    }

    /**
     * The instance will go: from now on batches are small, and what would be lost first goes first.
     *
     * @param disks those that go with it
     */
    public void hasten(EphemeralDisks disks) {
        routes.forEach(route -> route.hasten(disks));
    }

    public boolean isDraining() {
        return draining;
    }

    /** Counts a batch that was sealed before a restart. */
    public void resume(Batch batch) {
        of(batch.route()).resume(batch);
    }

    /** These files have bytes to seal. */
    public void offer(Collection<TrackedFile> grown, long nowNanos) {
        for (TrackedFile file : grown) {
            for (RoutePlanner route : routes) {
                route.offer(file, nowNanos);
            }
        }
    }

    /** Seals what is due. */
    public List<Batch> seal(long nowNanos, Instant now) {
        var sealed = new ArrayList<Batch>();
        for (RoutePlanner route : routes) {
            route.seal(nowNanos, now, sealed);
        }
        return sealed;
    }

    /** A batch is delivered, or will never be under this id. */
    public void released(Batch batch) {
        of(batch.route()).released(batch);
    }

    /** When {@link #seal} has something to do next, if nothing happens before. */
    public long nextDeadlineNanos() {
        return routes.stream().mapToLong(RoutePlanner::nextDeadlineNanos).min().orElse(Long.MAX_VALUE);
    }

    /** Whether nothing waits to be sealed. */
    public boolean isEmpty() {
        return routes.stream().allMatch(RoutePlanner::isEmpty);
    }

    private RoutePlanner of(Route route) {
        return routes.get(route.index());
    }
}
