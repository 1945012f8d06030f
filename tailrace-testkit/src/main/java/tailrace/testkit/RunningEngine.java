package tailrace.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.PlatformWorkers;
import tailrace.core.World;
import tailrace.core.batch.Codec;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.RateLimit;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.engine.Engine;
import tailrace.core.engine.EngineSettings;
import tailrace.core.engine.EngineSettings.RouteSettings;
import tailrace.core.engine.EngineSettings.SinkSettings;
import tailrace.core.engine.Status;
import tailrace.core.track.EphemeralDisks;
import tailrace.core.track.PinSettings;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.core.watch.Glob;
import tailrace.core.watch.Source;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

/** An engine in this process, on a thread of its own, for tests. */
public final class RunningEngine implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Engine engine;
    private final EventLog log;
    private final CompletableFuture<Boolean> end;

    private RunningEngine(Engine engine, EventLog log) {
        this.engine = engine;
        this.log = log;
        this.end = new CompletableFuture<>();
        Thread.ofPlatform().name("engine").daemon().start(() -> {
            try {
                end.complete(engine.run());
            } catch (IOException | RuntimeException | Error e) {
                end.completeExceptionally(e);
            }
        });
    }

    /** What to run, with sensible values for tests; change what matters. */
    public static final class Plan {
        private final Path state;
        private final List<String> includes = new ArrayList<>();
        private final List<String> excludes = new ArrayList<>();
        private final Map<String, Object> sink = new HashMap<>();
        private String sinkType = "file";
        private String key = "";
        private long batchBytes = 1 << 20;
        private Duration batchAge = Duration.ofMillis(50);
        private Duration flushPartialAfter = Duration.ofSeconds(5);
        private Integrity integrity = Integrity.CRC32C;
        private Codec codec = Codec.NONE;
        private RateLimit limit = RateLimit.NONE;
        private boolean followSymlinks;
        private int maxOpenFiles = 1000;
        private PinSettings.Mode pinMode = PinSettings.Mode.ROTATED;
        private long pinBytes = 1L << 40;
        private Duration pinAfter = Duration.ofSeconds(10);
        private Optional<LinuxPath> deadLetters = Optional.empty();
        private Map<String, String> labels = Map.of();
        private Framing framing = Framing.LINES;
        private Encoding encoding = Encoding.UTF_8;
        private UnaryOperator<RecordRules> rules = plain -> plain;
        private EphemeralDisks ephemeral = EphemeralDisks.NONE;
        private Kernel kernel = new LinuxKernel();
        private Clock clock = Clock.SYSTEM;
        private Predicate<Event> shown = event -> false;
        private BiConsumer<Event, String> listener = (event, line) -> {};

        public Plan(Path state) {
            this.state = state;
        }

        public Plan include(String pattern) {
            includes.add(pattern);
            return this;
        }

        public Plan exclude(String pattern) {
            excludes.add(pattern);
            return this;
        }

        /** To a folder, in one of the file sink's layouts. */
        public Plan toFolder(Path folder, String layout) {
            sinkType = "file";
            sink.put("path", folder.toString());
            sink.put("layout", layout);
            return this;
        }

        /** To a peer on this machine. */
        public Plan toTcp(int port, String framing) {
            sinkType = "tcp";
            sink.put("host", "127.0.0.1");
            sink.put("port", port);
            sink.put("framing", framing);
            return this;
        }

        /** To a sink of another type, which is on the class path. */
        public Plan toSink(String type, Map<String, Object> settings) {
            sinkType = type;
            sink.putAll(settings);
            return this;
        }

        /** Where goes what the sink rejects. */
        public Plan deadLetters(Path folder) {
            deadLetters = Optional.of(LinuxPath.of(folder.toString()));
            return this;
        }

        /** How their text is encoded. */
        public Plan encoding(Encoding other) {
            encoding = other;
            return this;
        }

        /** What is done with records, given what they are. */
        public Plan records(UnaryOperator<RecordRules> wanted) {
            rules = wanted;
            return this;
        }

        /** What is said of the files. */
        public Plan labels(Map<String, String> names) {
            labels = names;
            return this;
        }

        /** What a record is. */
        public Plan framing(Framing what) {
            framing = what;
            return this;
        }

        /** This folder goes with the instance. */
        public Plan ephemeral(Path folder) {
            ephemeral = new EphemeralDisks(Set.of(), List.of(LinuxPath.of(folder.toString())));
            return this;
        }

        public Plan key(String template) {
            key = template;
            return this;
        }

        public Plan batch(long bytes, Duration age) {
            batchBytes = bytes;
            batchAge = age;
            return this;
        }

        public Plan flushPartialAfter(Duration time) {
            flushPartialAfter = time;
            return this;
        }

        public Plan integrity(Integrity wanted) {
            integrity = wanted;
            return this;
        }

        public Plan limit(RateLimit wanted) {
            limit = wanted;
            return this;
        }

        public Plan compress(Codec wanted) {
            codec = wanted;
            return this;
        }

        public Plan followSymlinks() {
            followSymlinks = true;
            return this;
        }

        public Plan maxOpenFiles(int most) {
            maxOpenFiles = most;
            return this;
        }

        public Plan kernel(Kernel other) {
            kernel = other;
            return this;
        }

        public Plan clock(Clock other) {
            clock = other;
            return this;
        }

        /** Who hears of every event. */
        public Plan listen(BiConsumer<Event, String> who) {
            listener = who;
            return this;
        }

        /** Events to print. */
        public Plan show(Predicate<Event> events) {
            shown = events;
            return this;
        }

        /** Which files get second names, in {@code pins} of the state directory, and how much they may hold. */
        public Plan pins(PinSettings.Mode mode, Duration after, long budgetBytes) {
            pinMode = mode;
            pinAfter = after;
            pinBytes = budgetBytes;
            return this;
        }

        /** Starts an engine that does this. */
        public RunningEngine start() throws IOException {
            var source = new Source(
                    "app",
                    includes.stream().map(Glob::new).toList(),
                    excludes.stream().map(Glob::new).toList(),
                    followSymlinks,
                    framing,
                    encoding,
                    labels);
            SinkProvider provider = Sinks.provider(sinkType);
            SettingValues values = values(provider, sink);
            String template = key.isEmpty() ? provider.defaultKey(values) : key;
            var route = new RouteSettings(
                    source,
                    new SinkSettings("sink", provider, values),
                    template,
                    codec,
                    rules.apply(RecordRules.of(framing, encoding)),
                    batchBytes,
                    batchAge,
                    flushPartialAfter,
                    integrity,
                    limit,
                    deadLetters);
            var pins = new PinSettings(pinMode, pinAfter, LinuxPath.of(state + "/pins"), pinBytes, 50);
            var settings = new EngineSettings(
                    LinuxPath.of(state.toString()), "testhost", List.of(route), maxOpenFiles, pins, ephemeral);
            var world = new World(kernel, clock, new PlatformWorkers(), new Random());
            var log = new EventLog((event, line) -> {
                listener.accept(event, line);
                if (shown.test(event)) {
                    System.out.println(event + " " + line);
                }
            });
            return new RunningEngine(Engine.open(settings, world, log), log);
        }
    }

    /** Values with defaults, for settings whose defaults are plain texts, whole numbers, MiB or seconds. */
    public static SettingValues values(SinkProvider provider, Map<String, Object> given) {
        var values = new HashMap<>(given);
        for (Setting setting : provider.settings()) {
            setting.defaultValue()
                    .ifPresent(text -> values.putIfAbsent(
                            setting.key(),
                            switch (setting.kind()) {
                                case INTEGER -> Integer.valueOf(text);
                                case DURATION ->
                                    text.endsWith("ms")
                                            ? Duration.ofMillis(Long.parseLong(text.replace("ms", "")))
                                            : Duration.ofSeconds(Long.parseLong(text.replace("s", "")));
                                case BOOLEAN -> Boolean.valueOf(text);
                                case SIZE ->
                                    text.endsWith("KiB")
                                            ? Long.parseLong(text.replace("KiB", "")) << 10
                                            : Long.parseLong(text.replace("MiB", "")) << 20;
                                default -> text;
                            }));
        }
        return new SettingValues(values);
    }

    /** Waits until the engine's books say something. */
    public Status await(String what, Predicate<Status> condition) {
        return await(what, PATIENCE, condition);
    }

    /** As above, for what takes longer. */
    public Status await(String what, Duration patience, Predicate<Status> condition) {
        long deadline = System.nanoTime() + patience.toNanos();
        Status status = status();
        while (!condition.test(status)) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("waited in vain for " + what + ": " + status);
            }
            LockSupport.parkNanos(2_000_000);
            status = status();
        }
        return status;
    }

    /** Waits until so many bytes are delivered. */
    public Status awaitDelivered(long bytes) {
        return await(bytes + " bytes delivered", status -> status.books().delivered() >= bytes);
    }

    public Status status() {
        try {
            return engine.status().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            if (end.isCompletedExceptionally()) {
                end.join();
            }
            throw new AssertionError("the engine does not answer", e);
        }
    }

    /** How often an event happened. */
    public long count(Event event) {
        return log.count(event);
    }

    /** Tells it that its instance will go. */
    public void hasten(Duration within) {
        engine.hasten(within);
    }

    /** Begins to drain. */
    public void drainLater(Duration timeout) {
        engine.drain(timeout);
    }

    /** Drains, and says whether everything was delivered. */
    public boolean drain(Duration timeout) {
        engine.drain(timeout);
        return end.orTimeout(timeout.toSeconds() + PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** The books after the end. */
    public Status finalStatus() {
        return engine.finalStatus();
    }

    @Override
    public void close() throws IOException {
        if (!end.isDone()) {
            drain(Duration.ZERO);
        }
        engine.close();
    }
}
