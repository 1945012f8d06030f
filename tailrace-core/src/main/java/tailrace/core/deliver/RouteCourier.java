package tailrace.core.deliver;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.World;
import tailrace.core.batch.Batch;
import tailrace.core.track.Urgency;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/**
 * Carries the batches of one route: bounded concurrency, retry with backoff, and a circuit breaker, which after some
 * failures in a row sends one batch at a time to see whether the sink has recovered. Never gives up.
 */
final class RouteCourier {
    private static final int BREAKER_FAILURES = 5;

    /** In haste so many times as many batches are under way. */
    private static final int HASTY_MORE = 2;

    private static final long MILLI_NANOS = 1_000_000L;
    private static final long RETRY_ANNOUNCING_NANOS = 500 * MILLI_NANOS;

    /** Lengths of keys that are remembered; one that is forgotten is asked for again. */
    private static final int MAX_KEYS = 200_000;

    /** What an attempt reports back to the loop. */
    sealed interface Result {
        record Ended(Outcome outcome) implements Result {}

        record Failed(Batch batch, boolean refused, long retryAfterMillis, String message) implements Result {}

        /** Of a final manifest; not one that failed. */
        record Announced(FinalManifest manifest, boolean taken) implements Result {}

        record Unannounced(FinalManifest manifest, String message) implements Result {}
    }

    private record Haste(long untilNanos, Function<Batch, Urgency> urgency) {}

    /** What is pending, as {@link tailrace.core.manifest.PendingRange}s, and where it is put. */
    record FinalManifest(LinuxPath key, byte[] lines) {}

    private final String route;
    private final Sink sink;
    private final RateLimit limit;
    private final World world;
    private final EventLog log;
    private final Executor pool;
    private final CourierTask.Tools tools;
    private final Function<Batch, List<Slice>> slices;
    private final Consumer<Result> report;
    private final Backoff backoff;

    /** Waiting for their first or next attempt, in the order they came. */
    private final Set<Batch> ready = new LinkedHashSet<>();

    private final Map<Batch, Long> notBeforeNanos = new LinkedHashMap<>();
    private final Map<Batch, Integer> failures = new HashMap<>();
    private final Map<LinuxPath, Long> keyLengths = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<LinuxPath, Long> eldest) {
            return size() > MAX_KEYS;
        }
    };
    private final Map<Batch, CourierTask> underWay = new LinkedHashMap<>();
    private int failuresInARow;
    private long breakerUntilNanos = Long.MIN_VALUE;
    private long limitedUntilNanos = Long.MIN_VALUE;
    private Optional<Haste> haste = Optional.empty();

    /** Waits to be put, before any other batch is sent. */
    private Optional<FinalManifest> unannounced = Optional.empty();

    private long announceAtNanos;

    RouteCourier(
            String route,
            Sink sink,
            RateLimit limit,
            World world,
            EventLog log,
            CourierTask.Tools tools,
            Function<Batch, List<Slice>> slices,
            Consumer<Result> report) {
        this.route = route;
        this.sink = sink;
        this.limit = limit;
        this.world = world;
        this.log = log;
        this.tools = tools;
        this.slices = slices;
        this.report = report;
        this.backoff = new Backoff(world.random());
        this.pool = world.workers()
                .pool("courier-" + route, HASTY_MORE * sink.traits().concurrency());
    }

    void rememberKey(LinuxPath key, long lengthBytes) {
        keyLengths.put(key, lengthBytes);
    }

    Map<LinuxPath, Long> keyLengths() {
        return keyLengths;
    }

    void carry(Batch batch) {
        ready.add(batch);
    }

    /** The key of a batch that waited for it can be written to. */
    void keyIsRemembered(Batch batch, long lengthBytes) {
        rememberKey(batch.key(), lengthBytes);
        ready.add(batch);
    }

    /** The instance will go: no limits, short waits, more at a time, and what would be lost first goes first. */
    void hasten(long untilNanos, Function<Batch, Urgency> urgency) {
        haste = Optional.of(new Haste(untilNanos, urgency));
        long now = world.clock().nanos();
        notBeforeNanos.replaceAll((batch, at) -> now);
        breakerUntilNanos = Math.min(breakerUntilNanos, now);
        limitedUntilNanos = Long.MIN_VALUE; // all the bandwidth there is
    }

    /** Puts a final manifest, ahead of all batches that wait; in place of one that could not be put so far. */
    void announce(FinalManifest manifest) {
        unannounced = Optional.of(manifest);
        announceAtNanos = world.clock().nanos();
    }

    private void announceIfDue(long now) {
        if (unannounced.isPresent() && announceAtNanos <= now) {
            FinalManifest manifest = unannounced.get();
            unannounced = Optional.empty();
            pool.execute(() -> report.accept(put(manifest)));
        }
    }

    private Result put(FinalManifest manifest) {
        try {
            return new Result.Announced(manifest, sink.putFinalManifest(manifest.key, manifest.lines));
        } catch (DeliveryException | RuntimeException e) {
            return new Result.Unannounced(manifest, String.valueOf(e.getMessage()));
        }
    }

    /** Begins as many attempts as may be under way. */
    void dispatch() {
        long now = world.clock().nanos();
        announceIfDue(now);
        notBeforeNanos.entrySet().removeIf(entry -> {
            boolean due = entry.getValue() <= now;
            if (due) {
                ready.add(entry.getKey());
            }
            return due;
        });
        if (now < breakerUntilNanos) {
            return;
        }
        while (underWay.size() < most() && !ready.isEmpty() && now >= limitedUntilNanos) {
            Batch batch = next();
            ready.remove(batch);
            if (haste.isEmpty()) {
                limitedUntilNanos = Math.max(limitedUntilNanos, now) + limit.nanosAfter(batch.lengthBytes());
            }
            attempt(batch);
        }
    }

    private Batch next() {
        return haste.flatMap(hurry -> ready.stream().min(Comparator.comparing(hurry.urgency)))
                .orElseGet(() -> ready.iterator().next());
    }

    /** How many attempts may be under way. */
    private int most() {
        int usual = sink.traits().concurrency() * (haste.isPresent() ? HASTY_MORE : 1);
        return failuresInARow >= BREAKER_FAILURES ? 1 : usual;
    }

    private void attempt(Batch batch) {
        Long length = keyLengths.get(batch.key());
        boolean asks = sink.traits().resumable() && length == null;
        CourierTask task = asks
                ? CourierTask.askForLength(tools, sink, batch, report)
                : CourierTask.deliver(tools, sink, batch, length == null ? 0 : length, slices.apply(batch), report);
        underWay.put(batch, task);
        pool.execute(task);
    }

    /** An attempt has ended. */
    void ended(Result result, List<Outcome> outcomes) {
        switch (result) {
            case Result.Ended(Outcome outcome) -> {
                underWay.remove(outcome.batch());
                if (failuresInARow > 0 && outcome instanceof Outcome.Delivered) {
                    log.report(Event.DELIVERY_RECOVERED, route, "after " + failuresInARow + " failures");
                    failuresInARow = 0;
                    breakerUntilNanos = Long.MIN_VALUE;
                }
                failures.remove(outcome.batch());
                switch (outcome) {
                    case Outcome.Delivered(Batch batch, Receipt receipt, long lengthBytes) ->
                        keyLengths.computeIfPresent(batch.key(), (key, length) -> receipt.position() + lengthBytes);
                    case Outcome.DeadLettered letter -> {}
                    case Outcome.KeyOpened opened -> {} // it comes back by keyIsRemembered
                    case Outcome.SourceChanged gone -> {}
                }
                outcomes.add(outcome);
            }
            case Result.Failed failed -> {
                underWay.remove(failed.batch);
                retryLater(failed);
            }
            case Result.Announced(FinalManifest manifest, boolean taken) -> {
                if (taken) {
                    log.report(Event.FINAL_MANIFEST, manifest.key, "of " + route);
                }
            }
            case Result.Unannounced(FinalManifest manifest, String message) -> {
                log.report(Event.FINAL_MANIFEST_FAILED, route, message);
                if (unannounced.isEmpty()) {
                    unannounced = Optional.of(manifest);
                    announceAtNanos = world.clock().nanos() + RETRY_ANNOUNCING_NANOS;
                }
            }
        }
    }

    private void retryLater(Result.Failed failed) {
        int count = failures.merge(failed.batch, 1, Integer::sum);
        long now = world.clock().nanos();
        long millis = haste.map(
                        hurry -> backoff.hastyMillis(count, failed.refused, (hurry.untilNanos - now) / MILLI_NANOS))
                .orElseGet(() -> Math.max(backoff.millis(count, failed.refused), failed.retryAfterMillis));
        long at = now + millis * MILLI_NANOS;
        notBeforeNanos.put(failed.batch, at);
        if (!failed.refused && ++failuresInARow >= BREAKER_FAILURES) { // a refusal says nothing about other batches
            breakerUntilNanos = at;
        }
        log.report(
                failed.refused ? Event.DELIVERY_REFUSED : Event.DELIVERY_FAILED,
                route,
                failed.message + "; next try in " + millis + " ms");
    }

    long nextDeadlineNanos() {
        return Math.min(unannounced.isPresent() ? announceAtNanos : Long.MAX_VALUE, nextAttemptNanos());
    }

    private long nextAttemptNanos() {
        if (underWay.size() >= most()) {
            return Long.MAX_VALUE; // the end of an attempt wakes the loop
        }
        long next = ready.isEmpty() ? Long.MAX_VALUE : Long.MIN_VALUE;
        for (long at : notBeforeNanos.values()) {
            next = Math.min(next, at);
        }
        return next == Long.MAX_VALUE ? next : Math.max(next, Math.max(breakerUntilNanos, limitedUntilNanos));
    }

    /** The workers have stopped: what did not begin never will. */
    void close() throws LinuxException {
        underWay.values().forEach(CourierTask::abandon);
        sink.close();
    }
}
