package tailrace.testkit.torture;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.World;
import tailrace.core.batch.Codec;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.RateLimit;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.engine.Engine;
import tailrace.core.engine.EngineSettings;
import tailrace.core.engine.EngineSettings.RouteSettings;
import tailrace.core.engine.EngineSettings.SinkSettings;
import tailrace.core.engine.Status;
import tailrace.core.ledger.LedgerException;
import tailrace.core.track.Books;
import tailrace.core.track.EphemeralDisks;
import tailrace.core.track.PinSettings;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.core.watch.Glob;
import tailrace.core.watch.Source;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.testkit.simulation.SimulatedKernel;
import tailrace.testkit.simulation.SimulatedMachine;

/** One script, played from the first start of the agent to the last, with everything checked. For one thread. */
public final class Life implements Scheduler.Director {
    private static final SinkProvider FILE_SINK = ServiceLoader.load(SinkProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(provider -> provider.type().equals("file"))
            .findFirst()
            .orElseThrow();

    private static final long SECOND_NANOS = 1_000_000_000L;

    /** In calm, everything must have arrived by then: the slow scan takes 300 s a round, a refused batch 60 s. */
    private static final long PATIENCE_NANOS = 1_000 * SECOND_NANOS;

    private static final int MAX_STARTS = 60;
    private static final int MAX_TICKS = 60_000;

    /** In five seconds in which nothing is to be done; each second everything is looked at. */
    private static final int MAX_IDLE_TICKS = 100;

    /** How long a copy counts as one, as the tracker has it; minus what a tick may take. */
    private static final long COPY_NANOS = 4 * SECOND_NANOS;

    private final Script script;
    private final Trace trace;
    private final Scheduler scheduler;
    private final SimulatedMachine machine;
    private final Excuses excuses;
    private final Writers writers;
    private final RemoteStore store;
    private final Judge judge;
    private final Leaks leaks;
    private int nextStep;
    private int ticks;

    /** When it was found that all is done; or -1. */
    private int ticksWhenDone = -1;

    private boolean calm;
    private boolean powerCut;
    private boolean draining;
    private boolean ending;
    private long calmAtNanos;
    private long judgedAtNanos;
    private @Nullable String sinkBug;
    private long copyBegunAtNanos = Long.MIN_VALUE / 2;

    private @Nullable Engine engine;
    private SimulatedKernel process;

    private Life(Script script, @Nullable PrintStream traceTo) {
        this.script = script;
        this.trace = new Trace(traceTo);
        this.scheduler = new Scheduler(script.seed(), this, trace);
        this.machine = new SimulatedMachine(scheduler::now);
        machine.mount(Setup.VOLUME);
        machine.mount("/disk");
        machine.mount("/wire");
        this.excuses = new Excuses(scheduler, () -> ticks);
        this.process = machine.process();
        this.writers = new Writers(machine, script.setup(), excuses);
        this.store = new RemoteStore(machine);
        this.leaks = new Leaks(machine);
        this.judge = new Judge(script.setup(), machine, store, writers, excuses);
        machine.whenFreed(content -> {
            if (isAgentClosing()) {
                excuses.letGo(content);
            } else if (engine == null) {
                excuses.deletedMeanwhile(content);
            } else {
                excuses.destroyed(content);
            }
        });
    }

    /** Whether it is the living agent that gives up the last hold of a file. */
    private boolean isAgentClosing() {
        return engine != null
                && !scheduler.isPlaying()
                && !scheduler.isDead()
                && script.setup().isRoomy();
    }

    /**
     * Plays a script.
     *
     * @param traceTo where to write what happens, if anywhere
     * @return the promise that was broken, if one was
     */
    public static Optional<Violation> play(Script script, @Nullable PrintStream traceTo) {
        var life = new Life(script, traceTo);
        try {
            life.live();
            return Optional.empty();
        } catch (Violation e) {
            life.trace.note(life.scheduler, () -> "VIOLATION " + e.getMessage());
            return Optional.of(e);
        } catch (LinuxException e) {
            throw new IllegalStateException("the script itself failed", e);
        }
    }

    private void live() throws LinuxException {
        trace.note(scheduler, () -> script.setup().toString());
        boolean over = false;
        for (int starts = 0; !over; starts++) {
            if (starts > MAX_STARTS) {
                throw new Violation("the agent gets ahead", "it was started " + starts + " times");
            }
            over = liveOnce();
        }
        judge.judge(trace, scheduler);
    }

    /** One process, from start to end; true if nothing is left to do. */
    private boolean liveOnce() throws LinuxException {
        scheduler.restart();
        powerCut = false;
        draining = false;
        process = machine.process(scheduler)
                .maxDescriptors(calm ? 10_000 : script.setup().maxDescriptors())
                .maxWatches(script.setup().maxWatches())
                .maxQueuedEvents(script.setup().maxQueuedEvents());
        boolean drained = false;
        try {
            trace.note(scheduler, () -> "--- the agent starts");
            var world = new World(process, scheduler, scheduler, new SplittableRandom(scheduler.choose(1 << 30)));
            Engine started = Engine.open(settings(), world, new EventLog(this::note));
            engine = started;
            drained = started.run();
            boolean all = drained;
            trace.note(scheduler, () -> "--- the agent ends, " + (all ? "all is delivered" : "bytes are pending"));
            judge.checkBooks(started.finalStatus(), store);
            started.close();
            leaks.checkDescriptors(process);
            if (ending && drained) {
                leaks.checkAtTheEnd();
            }
        } catch (Crash e) {
            trace.note(scheduler, () -> powerCut ? "--- the power goes" : "--- the agent is killed");
        } catch (LedgerException e) {
            allowIfInjected(e);
        } catch (LinuxException e) {
            allowIfInjected(e);
        } catch (IOException | RuntimeException | Error e) {
            if (e instanceof Violation violation) {
                throw violation;
            }
            throw new Violation("the agent survives", e.toString(), e);
        } finally {
            engine = null;
        }
        end();
        return ending && drained;
    }

    private void note(Event event, String line) {
        trace.note(scheduler, () -> "  " + event + " " + line);
        if (event == Event.SINK_BUG && !line.contains(RemoteStore.BUG) && !line.contains(Crash.class.getName())) {
            sinkBug = line;
        }
    }

    private void allowIfInjected(IOException e) {
        boolean stateFailed = scheduler.wasInjected(Setup.STATE);
        trace.note(scheduler, () -> "--- the agent gives up: " + e.getMessage());
        if (!stateFailed && !judge.isStateFull() && script.setup().isRoomy()) {
            throw new Violation("the agent survives", String.valueOf(e.getMessage()), e);
        }
    }

    private void end() {
        scheduler.die();
        process.kill();
        writers.agentDied();
        if (powerCut) {
            writers.powerCut();
            machine.powerCut(scheduler::choose);
            powerCut = false;
        }
        for (int i = scheduler.choose(6); i > 0 && !calm; i--) {
            step();
        }
        scheduler.pass(scheduler.choose(2000));
        if (nextStep >= script.steps().size()) {
            calmDown();
        }
    }

    private EngineSettings settings() {
        var source = new Source(
                "app",
                List.of(new Glob(Setup.SPOOL + "/**/*.log")),
                List.of(),
                false,
                Framing.LINES,
                Encoding.UTF_8,
                Map.of());
        var routes = new ArrayList<RouteSettings>();
        Setup setup = script.setup();
        for (String sink : setup.sinks()) {
            SinkProvider provider = sink.equals("remote") ? store : FILE_SINK;
            var values = sink.equals("remote")
                    ? new SettingValues(Map.of())
                    : new SettingValues(Map.of(
                            "path", Setup.OUT + "/" + sink, "layout", sink, "durability", "fsync", "concurrency", 2));
            routes.add(new RouteSettings(
                    source,
                    new SinkSettings(sink, provider, values),
                    provider.defaultKey(values),
                    Codec.NONE,
                    RecordRules.PLAIN,
                    setup.batchBytes(),
                    Duration.ofMillis(setup.batchAgeMillis()),
                    Duration.ofSeconds(5),
                    setup.checksums() ? Integrity.CRC32C : Integrity.LENGTH,
                    RateLimit.NONE,
                    Optional.empty()));
        }
        int maxOpen = calm ? 1000 : Math.max(4, setup.maxDescriptors() - 20);
        var pins = new PinSettings(setup.pins(), Duration.ZERO, LinuxPath.of(Setup.PINS), 1 << 30, 100);
        return new EngineSettings(
                LinuxPath.of(Setup.STATE), "host", routes, Math.min(1000, maxOpen), pins, EphemeralDisks.NONE);
    }

    @Override
    public boolean step() {
        if (nextStep >= script.steps().size()) {
            return false;
        }
        Step step = script.steps().get(nextStep++);
        trace.note(scheduler, () -> "> " + step);
        try {
            play(step);
        } catch (LinuxException e) {
            trace.note(scheduler, () -> "  the writer cannot: " + e.getMessage());
        }
        return true;
    }

    private void play(Step step) throws LinuxException {
        if (scheduler.nanos() - copyBegunAtNanos > COPY_NANOS) {
            writers.copiesRest();
        }
        switch (step) {
            case Step.Pass(int millis) -> scheduler.pass(millis);
            case Step.JumpClock(int seconds) -> scheduler.jumpClock(seconds);
            case Step.Kill(int calls) -> scheduler.crashAfter(calls);
            case Step.PowerCut(int calls) -> {
                powerCut = true;
                scheduler.crashAfter(calls);
            }
            case Step.Terminate(int millis) -> terminate(Duration.ofMillis(millis));
            case Step.Fail fault -> {
                scheduler.fail(fault);
                writers.agentMayBeBlind(fault.where().equals(Setup.SPOOL));
            }
            case Step.FillDisk(String directory) -> {
                judge.fill(directory);
                excuses.ledgerIsStuck();
            }
            case Step.FreeSpace(String directory) -> judge.free(directory);
            case Step.SinkTrouble trouble -> store.trouble(trouble);
            case Step.BeginCopy copy -> {
                copyBegunAtNanos = scheduler.nanos();
                writers.play(copy);
            }
            default -> writers.play(step);
        }
    }

    private void terminate(Duration timeout) {
        Engine running = engine;
        if (running != null && !draining) {
            draining = true;
            writers.agentHurries();
            running.drain(timeout);
        }
    }

    @Override
    public void atRest() {
        excuses.rested();
        if (++ticks > MAX_TICKS) {
            throw new Violation("the loop sleeps when there is nothing to do", ticks + " ticks");
        }
        if (sinkBug != null) {
            throw new Violation("sinks throw what they promise", sinkBug);
        }
        Engine running = engine;
        if (running == null) {
            return;
        }
        writers.agentIsThere();
        Status status = running.finalStatus();
        leaks.checkWatches(process, status.files());
        leaks.checkMemory(process, status.files());
        for (var route : status.routes()) {
            Books books = route.books();
            if (!books.balance() || books.pending() < 0 || books.lost() < 0) {
                throw new Violation("the books balance", route.toString());
            }
        }
        if (nextStep >= script.steps().size()) {
            calmDown();
            endWhenDone(running);
        }
    }

    private void calmDown() {
        if (calm) {
            return;
        }
        calm = true;
        calmAtNanos = scheduler.nanos();
        trace.note(scheduler, () -> "--- calm");
        scheduler.calmDown();
        powerCut = false;
        store.calmDown();
        judge.calmDown();
        try {
            writers.stop();
        } catch (LinuxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void endWhenDone(Engine running) {
        long now = scheduler.nanos();
        boolean late = now - calmAtNanos > PATIENCE_NANOS;
        if (ending || now - judgedAtNanos < 5 * SECOND_NANOS) {
            return;
        }
        judgedAtNanos = now;
        boolean done = running.finalStatus().books().pending() == 0
                && judge.missing(trace, scheduler).isEmpty();
        if (!done && late) {
            throw new Violation(
                    "everything arrives once the faults stop",
                    running.finalStatus() + ", missing " + judge.missing(trace, scheduler));
        }
        if (done && ticksWhenDone < 0) {
            ticksWhenDone = ticks; // and it is looked at once more, after a while in which nothing happens
            return;
        }
        if (done && ticks - ticksWhenDone > MAX_IDLE_TICKS) {
            throw new Violation(
                    "the loop sleeps when there is nothing to do",
                    (ticks - ticksWhenDone) + " ticks when all was done");
        }
        ticksWhenDone = -1;
        if (done && !draining) {
            draining = true;
            ending = true;
            running.drain(Duration.ofHours(1));
        }
    }
}
