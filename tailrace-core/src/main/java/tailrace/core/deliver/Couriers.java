package tailrace.core.deliver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import tailrace.core.EventLog;
import tailrace.core.World;
import tailrace.core.batch.Batch;
import tailrace.core.track.Route;
import tailrace.core.track.Urgency;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/** Delivers sealed batches, each route on threads of its own, so that one that stands still holds up no other. */
public final class Couriers implements AutoCloseable {
    /**
     * A route and where it leads.
     *
     * @param takesRecords as its {@link SinkProvider#takesRecords} says
     * @param writesFiles as its {@link SinkProvider#writesFiles} says
     */
    public record Line(
            Route route,
            Sink sink,
            boolean takesRecords,
            boolean writesFiles,
            Integrity integrity,
            RateLimit limit,
            Optional<LinuxPath> deadLetters) {}

    private record Ended(int route, RouteCourier.Result result) {}

    private final List<RouteCourier> routes = new ArrayList<>();
    private final ConcurrentLinkedQueue<Ended> ended = new ConcurrentLinkedQueue<>();

    /**
     * @param folder where prepared batches have room
     * @param slices how to reach a batch's bytes now; called on the loop's thread before each attempt
     * @param wake called from a courier's thread when an attempt has ended
     */
    public Couriers(
            World world,
            EventLog log,
            SafeOpen open,
            LinuxPath folder,
            String host,
            List<Line> lines,
            Function<Batch, List<Slice>> slices,
            Runnable wake) {
        for (Line line : lines) {
            int index = line.route().index();
            Optional<DeadLetters> letters = line.deadLetters().map(path -> new DeadLetters(world.kernel(), path, host));
            var tools = new CourierTask.Tools(
                    world.kernel(),
                    open,
                    line.integrity(),
                    folder,
                    line.takesRecords(),
                    line.writesFiles(),
                    new Semaphore(Runtime.getRuntime().availableProcessors(), true),
                    letters,
                    log);
            routes.add(new RouteCourier(
                    line.route().name(), line.sink(), line.limit(), world, log, tools, slices, result -> {
                        ended.add(new Ended(index, result));
                        wake.run();
                    }));
        }
    }

    /** Takes batches over; they are delivered however long it takes. */
    public void carry(List<Batch> batches) {
        for (Batch batch : batches) {
            of(batch).carry(batch);
        }
        routes.forEach(RouteCourier::dispatch);
    }

    /** What has come to an end since the last call. */
    public List<Outcome> takeOutcomes() {
        var outcomes = new ArrayList<Outcome>();
        for (Ended next = ended.poll(); next != null; next = ended.poll()) {
            routes.get(next.route).ended(next.result, outcomes);
        }
        return outcomes;
    }

    /** The length of the batch's key is durable: it can be delivered behind it. */
    public void keyIsRemembered(Batch batch, long lengthBytes) {
        of(batch).keyIsRemembered(batch, lengthBytes);
    }

    /** Takes over what an earlier run knew of a key. */
    public void rememberKey(Route route, LinuxPath key, long lengthBytes) {
        routes.get(route.index()).rememberKey(key, lengthBytes);
    }

    public Map<LinuxPath, Long> keyLengths(Route route) {
        return routes.get(route.index()).keyLengths();
    }

    /**
     * The instance will go: no limits from now on, short waits, and more batches at a time.
     *
     * @param untilNanos when it is expected to go
     * @param urgency of a batch, as things are then: those that wait are sent in that order
     */
    public void hasten(long untilNanos, Function<Batch, Urgency> urgency) {
        routes.forEach(route -> route.hasten(untilNanos, urgency));
    }

    /**
     * Puts a list of what is pending on a route beside its manifests, before any further batch is sent. It is tried again
     * until it is taken, or another is in its place.
     *
     * @param key says where: {@link tailrace.core.manifest.Archive#finalManifestKey}
     */
    public void announce(Route route, LinuxPath key, byte[] lines) {
        routes.get(route.index()).announce(new RouteCourier.FinalManifest(key, lines));
    }

    /** When {@link #carry} should be called, if nothing happens before. */
    public long nextDeadlineNanos() {
        return routes.stream().mapToLong(RouteCourier::nextDeadlineNanos).min().orElse(Long.MAX_VALUE);
    }

    private RouteCourier of(Batch batch) {
        return routes.get(batch.route().index());
    }

    @Override
    public void close() throws LinuxException {
        for (RouteCourier route : routes) {
            route.close();
        }
    }
}
