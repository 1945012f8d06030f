package tailrace.core.engine;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.World;
import tailrace.core.batch.Batch;
import tailrace.core.batch.BatchId;
import tailrace.core.batch.BatchPlanner;
import tailrace.core.batch.Extent;
import tailrace.core.batch.RoutePlan;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.Couriers;
import tailrace.core.deliver.Outcome;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.Slice;
import tailrace.core.ledger.Ledger;
import tailrace.core.ledger.LedgerRecord;
import tailrace.core.ledger.LedgerState;
import tailrace.core.ledger.StateDirectory;
import tailrace.core.manifest.PendingRange;
import tailrace.core.track.Findings;
import tailrace.core.track.Progress;
import tailrace.core.track.Route;
import tailrace.core.track.TrackedFile;
import tailrace.core.track.Tracker;
import tailrace.core.track.Withheld;
import tailrace.core.watch.SafeOpen;
import tailrace.core.watch.Source;
import tailrace.core.watch.Watcher;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.LinuxPath;

/**
 * The circle: what the kernel tells becomes extents, batches, deliveries, and settled books; one {@link #tick} is the
 * whole of it. The thread that calls {@link #run} owns all of this; other threads may call {@link #drain} and {@link
 * #status}.
 */
public final class Engine implements AutoCloseable {
    private static final long MILLI_NANOS = 1_000_000L;
    private static final long SECOND_NANOS = 1_000_000_000L;

    /** Even with nothing to do the loop looks around this often. */
    private static final long MOST_POLL_MILLIS = 60_000;

    private final World world;
    private final EventLog log;
    private final String host;
    private final StateDirectory directory;
    private final List<Route> routes;
    private final Watcher watcher;
    private final Tracker tracker;
    private final BatchPlanner planner;
    private final Ledger ledger;
    private final Couriers couriers;
    private final List<Boolean> resumable = new ArrayList<>();
    private final int run;
    private final Instant startedAt;

    private final AfterCommit afterCommit;
    private final Pinning pinning;
    private final Map<BatchId, Batch> outstanding = new LinkedHashMap<>();

    private final Bookkeeping books;
    private final Ending ending;
    private final Set<TrackedFile> grownSince = new LinkedHashSet<>();
    private final ConcurrentLinkedQueue<CompletableFuture<Status>> statusRequests = new ConcurrentLinkedQueue<>();
    private long nextSequence = 1;
    private long batchesDelivered;
    private long grownWrittenAtNanos;

    private Engine(EngineSettings settings, World world, EventLog log, StateDirectory directory) throws IOException {
        this.world = world;
        this.log = log;
        this.host = settings.host();
        this.directory = directory;
        this.startedAt = world.clock().now();
        this.routes = Wiring.routes(settings);
        List<Source> sources = routes.stream().map(Route::source).distinct().toList();
        var open = new SafeOpen(world.kernel().files(), sources);
        var buffer = new AlignedBuffer(Arena.ofAuto(), BatchContent.BUFFER_BYTES);
        this.watcher = new Watcher(
                world.kernel(),
                sources,
                List.of(settings.state(), settings.pins().folder()),
                open,
                world.clock(),
                log);
        this.ledger = Ledger.open(world, log, directory, watcher::wake);
        this.tracker = new Tracker(
                world, watcher, open, log, routes, buffer, settings.maxOpenFiles(), settings.pins(), ledger.id());
        this.afterCommit = new AfterCommit(ledger);
        this.pinning = new Pinning(ledger, tracker, afterCommit);
        LedgerState recovered = ledger.recovered();
        this.run = recovered.runs() + 1;
        List<Couriers.Line> lines = lines(settings);
        List<RoutePlan> plans = new ArrayList<>();
        for (Route route : routes) {
            plans.add(Wiring.plan(route, settings, lines.get(route.index()).sink()));
            resumable.add(lines.get(route.index()).sink().traits().resumable());
        }
        this.planner = new BatchPlanner(plans, host, tracker, world.kernel().files(), buffer, this::nextBatchId);
        this.couriers = new Couriers(world, log, open, settings.state(), host, lines, this::slices, watcher::wake);
        this.books = new Bookkeeping(routes, tracker);
        var stages = new Ending.Stages(watcher, tracker, planner, couriers, books);
        String id = "%s-%05d".formatted(ledger.id(), run);
        this.ending = new Ending(world.clock(), log, host, id, routes, settings.ephemeral(), stages);
        restore(recovered);
    }

    /**
     * Prepares an engine: locks the state directory and reads the ledger.
     *
     * @throws IOException if one of them cannot be used; the message is for a person
     */
    public static Engine open(EngineSettings settings, World world, EventLog log) throws IOException {
        StateDirectory directory = StateDirectory.lock(world.kernel(), settings.state());
        try {
            return new Engine(settings, world, log, directory);
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    private List<Couriers.Line> lines(EngineSettings settings) {
        var lines = new ArrayList<Couriers.Line>();
        for (Route route : routes) {
            EngineSettings.RouteSettings wanted = settings.routes().get(route.index());
            var context = new SinkProvider.Context(world.kernel(), log, host, ledger.id(), wanted.integrity());
            SinkProvider provider = wanted.sink().provider();
            lines.add(new Couriers.Line(
                    route,
                    provider.open(wanted.sink().values(), context),
                    provider.takesRecords(wanted.sink().values()),
                    provider.writesFiles(),
                    wanted.integrity(),
                    wanted.limit(),
                    wanted.deadLetters()));
        }
        return lines;
    }

    private void restore(LedgerState recovered) {
        var recovery = new Recovery(recovered, ledger.id(), routes, resumable, log);
        tracker.restore(recovery.files(), recovered.nextFile());
        books.restore(recovered.closed());
        recovered
                .keyLengths()
                .forEach((key, length) -> routes.stream()
                        .filter(route -> route.name().equals(key.route()))
                        .forEach(route -> couriers.rememberKey(route, key.key(), length)));
        for (Batch batch : recovery.openBatches()) {
            outstanding.put(batch.id(), batch);
            planner.resume(batch);
        }
        if (recovered.runs() > 0) {
            log.report(
                    Event.LEDGER_RECOVERED,
                    directory.path(),
                    recovery.files().size() + " files, " + outstanding.size() + " batches to send again");
        }
        // What the ledger holds is more than what is true now (undone seals, removed routes): begin with a snapshot.
        ledger.snapshot(snapshot());
        List<Batch> open = List.copyOf(outstanding.values());
        afterCommit.run(0, () -> couriers.carry(open));
    }

    private BatchId nextBatchId() {
        return new BatchId(ledger.id(), run, nextSequence++);
    }

    /**
     * Runs until it is drained.
     *
     * @return whether everything was delivered; if not, the deadline has passed
     * @throws IOException if the ledger cannot be written, or the kernel fails
     */
    public boolean run() throws IOException {
        log.report(Event.STARTED, host, "ledger " + ledger.id() + ", run " + run);
        tracker.observe(watcher.start());
        remember(tracker.takeFindings());
        afterCommit.run(0, () -> tracker.unpinSettled(List.copyOf(tracker.all())));
        while (!isOver()) {
            tick();
        }
        boolean empty = isEmpty();
        finish();
        log.report(Event.STOPPED, host, empty ? "everything is delivered" : "bytes are pending");
        return empty;
    }

    private void tick() throws IOException {
        tracker.observe(watcher.poll(pollMillis()));
        remember(tracker.takeFindings());
        seal();
        ledger.commit();
        afterCommit.runDurable();
        couriers.carry(List.of());
        settle(couriers.takeOutcomes());
        answerStatus();
        ending.fulfilWishes(outstanding.values());
    }

    /** What the tracker has found out is written down, and offered to be sealed. */
    private void remember(Findings found) {
        planner.offer(found.grown(), world.clock().nanos());
        for (TrackedFile file : found.changed()) {
            for (LedgerRecord state : LedgerWords.states(file, routes)) {
                pinning.written(file, ledger.append(state));
            }
        }
        found.leaving().forEach(pinning::pinWhenKnown);
        found.losses().forEach(loss -> ledger.append(LedgerWords.lost(loss)));
        for (TrackedFile file : found.forgotten()) {
            books.close(file);
            ledger.append(new LedgerRecord.FileForgotten(file.number()));
            pinning.forget(file);
            grownSince.remove(file);
        }
        if (world.clock().nanos() - grownWrittenAtNanos > SECOND_NANOS && !grownSince.isEmpty()) {
            grownWrittenAtNanos = world.clock().nanos();
            grownSince.forEach(file -> ledger.append(new LedgerRecord.Grown(file.number(), file.seen())));
            grownSince.clear();
        }
        if (ledger.wantsSnapshot()) {
            ledger.snapshot(snapshot());
        }
    }

    /**
     * What travels together is written down, and carried once that is durable. A sink that can resume need not wait: it
     * is enough that the files are known, since their first names decide where the bytes go.
     */
    private void seal() {
        for (Batch batch : planner.seal(world.clock().nanos(), world.clock().now())) {
            outstanding.put(batch.id(), batch);
            long position = ledger.append(LedgerWords.sealed(batch));
            long needed = resumable.get(batch.route().index()) ? pinning.knownFrom(batch) : position;
            if (ledger.isDurable(needed)) {
                couriers.carry(List.of(batch));
            } else {
                ledger.hurry();
                afterCommit.run(needed, () -> couriers.carry(List.of(batch)));
            }
        }
    }

    /** What became of the batches is remembered, and the books are balanced. */
    private void settle(List<Outcome> outcomes) {
        var settled = new LinkedHashSet<TrackedFile>();
        for (Outcome outcome : outcomes) {
            switch (outcome) {
                case Outcome.KeyOpened(Batch batch, long length) -> {
                    long position = ledger.append(
                            new LedgerRecord.KeyLength(batch.route().name(), batch.key(), length));
                    ledger.hurry();
                    afterCommit.run(position, () -> couriers.keyIsRemembered(batch, length));
                }
                case Outcome.Delivered delivered -> {
                    Batch batch = delivered.batch();
                    long position = ledger.append(LedgerWords.delivered(delivered));
                    for (int i = 0; i < batch.extents().size(); i++) {
                        Extent extent = batch.extents().get(i);
                        TrackedFile file = tracker.byNumber(extent.file());
                        progress(file, batch)
                                .delivered(
                                        extent.lengthBytes(),
                                        Withheld.of(delivered.receipt().withheld(), i));
                        settled.add(file);
                    }
                    long truncated = delivered.receipt().withheld().stream()
                            .mapToLong(Withheld::truncatedBytes)
                            .sum();
                    if (truncated > 0) {
                        log.report(Event.RECORDS_TRUNCATED, batch.key(), truncated + " bytes");
                    }
                    batchesDelivered++;
                    log.report(Event.BATCH_DELIVERED, batch.key(), batch.lengthBytes() + " bytes");
                    end(batch);
                    pinning.unpinWhenKnown(batch, position);
                }
                case Outcome.DeadLettered(Batch batch, LinuxPath letter, String why) -> {
                    log.report(Event.DEAD_LETTERED, letter, why);
                    ledger.append(LedgerWords.abandoned(batch));
                    for (Extent extent : batch.extents()) {
                        TrackedFile file = tracker.byNumber(extent.file());
                        tracker.rejected(file, batch.route(), extent.epoch(), extent.range());
                        settled.add(file);
                    }
                    end(batch);
                }
                case Outcome.SourceChanged(Batch batch, List<Extent> gone) -> {
                    log.report(Event.SOURCE_CHANGED, gone.getFirst().path(), "while batch " + batch.id() + " was sent");
                    ledger.append(LedgerWords.abandoned(batch));
                    for (Extent extent : batch.extents()) {
                        TrackedFile file = tracker.byNumber(extent.file());
                        tracker.takeBack(file, batch.route(), extent.epoch(), extent.range());
                        settled.add(file);
                    }
                    end(batch);
                }
            }
        }
        tracker.settle(settled);
        grownSince.addAll(settled);
        if (!outcomes.isEmpty()) {
            watcher.wake(); // what was held back may go now
        }
    }

    private static Progress progress(TrackedFile file, Batch batch) {
        Progress progress = file.on(batch.route());
        if (progress == null) {
            throw new IllegalStateException(
                    file + " does not travel on " + batch.route().name());
        }
        return progress;
    }

    private void end(Batch batch) {
        outstanding.remove(batch.id());
        planner.released(batch);
    }

    /** How a batch's bytes are reached now: each attempt gets descriptors of its own. */
    private List<Slice> slices(Batch batch) {
        var slices = new ArrayList<Slice>(batch.extents().size());
        for (Extent extent : batch.extents()) {
            TrackedFile file = tracker.byNumber(extent.file());
            slices.add(new Slice(extent, file.reachablePath(), tracker.duplicate(file)));
        }
        return slices;
    }

    private long pollMillis() {
        if (!statusRequests.isEmpty() || ending.isWished()) {
            return 0;
        }
        long now = world.clock().nanos();
        long next = Stream.of(
                        tracker.nextDeadlineNanos(),
                        planner.nextDeadlineNanos(),
                        couriers.nextDeadlineNanos(),
                        ledger.nextDeadlineNanos(),
                        ending.deadlineNanos())
                .min(Comparator.naturalOrder())
                .orElseThrow();
        if (next <= now) {
            return 0;
        }
        long waitNanos = next == Long.MAX_VALUE ? MOST_POLL_MILLIS * MILLI_NANOS : next - now;
        return Math.min(MOST_POLL_MILLIS, (waitNanos + MILLI_NANOS - 1) / MILLI_NANOS);
    }

    /**
     * Delivers what is there and stops. Callable from any thread, and again with less time; {@link #run} returns when it
     * is done.
     *
     * @param timeout stop after this even if bytes are pending
     */
    public void drain(Duration timeout) {
        ending.wish(timeout, true);
        watcher.wake();
    }

    /**
     * The instance will go: what is pending is listed where audits find it, what would be lost first is delivered first,
     * in small batches and with all the bandwidth there is. What is written meanwhile is delivered, too, until the
     * process is {@linkplain #drain told to stop}, or gone. Callable from any thread.
     *
     * @param within when it will go at the earliest
     */
    public void hasten(Duration within) {
        ending.wish(within, false);
        watcher.wake();
    }

    private boolean isOver() {
        if (!planner.isDraining()) {
            return false;
        }
        return isEmpty() || world.clock().nanos() >= ending.deadlineNanos();
    }

    private boolean isEmpty() {
        return tracker.isQuiet() && planner.isEmpty() && outstanding.isEmpty();
    }

    /** The last records are made durable. */
    private void finish() throws IOException {
        remember(tracker.takeFindings()); // what the last outcomes have changed
        ledger.hurry();
        long giveUpNanos = world.clock().nanos() + SECOND_NANOS;
        while (!ledger.isClean() && world.clock().nanos() < giveUpNanos) {
            ledger.commit();
            if (!ledger.isClean()) {
                watcher.poll(1);
            }
        }
        if (ledger.isClean()) {
            tracker.unpinSettled(List.copyOf(tracker.all()));
        }
        answerStatus();
    }

    /** The engine as it is now; answered by the loop, within its next tick. Callable from any thread. */
    public CompletableFuture<Status> status() {
        var request = new CompletableFuture<Status>();
        statusRequests.add(request);
        watcher.wake();
        return request;
    }

    private void answerStatus() {
        for (var request = statusRequests.poll(); request != null; request = statusRequests.poll()) {
            request.complete(currentStatus());
        }
    }

    private Status currentStatus() {
        return books.status(host, ledger.id(), startedAt, planner.isDraining(), batchesDelivered);
    }

    /** All there is to remember. */
    private List<LedgerRecord> snapshot() {
        var records = new ArrayList<LedgerRecord>();
        records.add(new LedgerRecord.RunStarted(run, startedAt, host));
        for (Route route : routes) {
            couriers.keyLengths(route)
                    .forEach((key, length) -> records.add(new LedgerRecord.KeyLength(route.name(), key, length)));
        }
        books.addTo(records);
        outstanding.values().forEach(batch -> records.add(new LedgerRecord.Reopened(LedgerWords.sealed(batch))));
        return records;
    }

    /** What is not delivered at the end, with the names of its routes: call after {@link #run} has returned. */
    public Map<String, List<PendingRange>> finalPending() {
        var pending = new LinkedHashMap<String, List<PendingRange>>();
        routes.forEach(route -> pending.put(
                route.name(),
                books.pending(route, outstanding.values(), host, world.clock().now())));
        return pending;
    }

    /** The books at the end: call after {@link #run} has returned. */
    public Status finalStatus() {
        return currentStatus();
    }

    @Override
    public void close() throws IOException {
        world.workers().close();
        couriers.close();
        tracker.close();
        watcher.close();
        ledger.close();
        directory.close();
    }
}
