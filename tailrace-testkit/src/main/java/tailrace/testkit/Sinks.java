package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.linux.LinuxKernel;

/** Sinks of any type that is on the class path, for tests. */
public final class Sinks {
    private static final int LINES = 10;
    private static final int LINE_BYTES = 100;

    private Sinks() {}

    /** The provider of a type. */
    static SinkProvider provider(String type) {
        return ServiceLoader.load(SinkProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.type().equals(type))
                .findFirst()
                .orElseThrow();
    }

    /** A sink outside of an engine. */
    public static Sink open(String type, Map<String, Object> settings) {
        SinkProvider provider = provider(type);
        var context = new SinkProvider.Context(
                new LinuxKernel(), new EventLog((event, line) -> {}), "testhost", "00000000", Integrity.CRC32C);
        return provider.open(RunningEngine.values(provider, settings), context);
    }

    /** Delivers a few lines until an event of a kind happens, of which it returns the line; all bytes stay pending. */
    public static String complaint(Path folder, String type, Map<String, Object> settings, Event event)
            throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        if (!Files.exists(in.resolve("app.log"))) { // by an earlier call
            try (var writer = new LineWriter("app", LINE_BYTES, in.resolve("app.log"))) {
                writer.write(LINES);
            }
        }
        List<String> said = new CopyOnWriteArrayList<>();
        try (RunningEngine engine = new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/*.log")
                .toSink(type, settings)
                .batch(64 << 10, Duration.ofMillis(10))
                .listen((e, line) -> {
                    if (e == event) {
                        said.add(line);
                    }
                })
                .start()) {
            engine.await("a complaint", status -> !said.isEmpty());
            assertThat(engine.status().books().pending()).isEqualTo(LINES * LINE_BYTES);
            assertThat(engine.count(Event.SINK_BUG)).isZero();
        }
        return said.getFirst();
    }
}
