package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.engine.Status;
import tailrace.core.track.PinSettings;

/** Second names of rotated files: real links on a real filesystem, while a sink is down. */
class PinsTest {
    private static final int LINE_BYTES = 200;

    @TempDir
    Path folder;

    private Path in;
    private Path out;
    private final Map<String, Long> written = new HashMap<>();

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        out = folder.resolve("out");
        Files.writeString(out, "a file where the sink's folder should be: it is down");
    }

    private RunningEngine.Plan plan() {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/**/*.log")
                .batch(1 << 20, Duration.ofMillis(20))
                .pins(PinSettings.Mode.ROTATED, Duration.ZERO, 1L << 40)
                .toFolder(out, "objects");
    }

    private void write(String name, int lines) throws IOException {
        try (var writer = new LineWriter(name, LINE_BYTES, in.resolve(name))) {
            writer.write(lines);
        }
        written.merge(name, (long) lines, Long::sum);
    }

    private static int links(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:nlink");
    }

    private long pins() throws IOException {
        Path pins = folder.resolve("state/pins");
        if (!Files.exists(pins)) {
            return 0;
        }
        try (var names = Files.list(pins)) {
            return names.count();
        }
    }

    private void awaitPins(RunningEngine engine, long count) {
        engine.await(count + " pins", status -> {
            try {
                return pins() == count;
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    private void rotate(String from, String to) throws IOException {
        Files.move(in.resolve(from), in.resolve(to));
    }

    private static void awaitSeen(RunningEngine engine, long lines) {
        engine.await(lines + " lines seen", status -> status.books().seen() >= lines * LINE_BYTES);
    }

    private void assertAllArrives(RunningEngine engine) throws IOException {
        assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        var tally = new LineChecker().readFolder(out).tally(written);
        assertThat(tally.isClean()).as(tally.toString()).isTrue();
        assertThat(engine.finalStatus().books().lost()).isZero();
        assertThat(pins()).isZero();
    }

    @Test
    void aRotatedFileThatIsDeletedWhileTheAgentIsStoppedIsDeliveredWhole() throws IOException {
        try (RunningEngine engine = plan().start()) {
            write("app.log", 50);
            awaitSeen(engine, 50);
            rotate("app.log", "app.log.1");
            awaitPins(engine, 1);
            assertThat(links(in.resolve("app.log.1"))).isEqualTo(2);
        }
        Files.delete(in.resolve("app.log.1"));
        Files.delete(out);
        try (RunningEngine engine = plan().start()) {
            engine.awaitDelivered(50L * LINE_BYTES);
            awaitPins(engine, 0);
            assertAllArrives(engine);
        }
    }

    @Test
    void whatIsAddedToARotatedFileIsPinnedWithIt() throws IOException {
        var writer = new LineWriter("app", LINE_BYTES, in.resolve("app.log"));
        try (RunningEngine engine = plan().start()) {
            writer.write(10);
            awaitSeen(engine, 10);
            rotate("app.log", "app.log.1");
            awaitPins(engine, 1);
            writer.write(10);
        }
        writer.write(10);
        written.put("app", 30L);
        writer.close();
        Files.delete(in.resolve("app.log.1"));
        Files.delete(out);
        try (RunningEngine engine = plan().start()) {
            engine.awaitDelivered(30L * LINE_BYTES);
            assertAllArrives(engine);
        }
    }

    @Test
    void aLiveFileIsNeverLinkedAndADeliveredOneIsLetGo() throws IOException {
        try (RunningEngine engine = plan().start()) {
            write("app.log", 10);
            awaitSeen(engine, 10);
            rotate("app.log", "app-1.log");
            try (var writer = new LineWriter("next", LINE_BYTES, in.resolve("app.log"))) {
                writer.write(10);
            }
            written.put("next", 10L);
            awaitSeen(engine, 20);
            awaitPins(engine, 1);
            assertThat(links(in.resolve("app.log"))).isEqualTo(1);
            Files.delete(out);
            engine.awaitDelivered(20L * LINE_BYTES);
            awaitPins(engine, 0);
            assertThat(links(in.resolve("app-1.log"))).isEqualTo(1);
            assertAllArrives(engine);
        }
    }

    @Test
    void aFileThatNobodyWritesToIsPinnedIfAllAreAskedFor() throws IOException {
        try (RunningEngine engine =
                plan().pins(PinSettings.Mode.ALWAYS, Duration.ZERO, 1L << 40).start()) {
            write("done.log", 10);
            awaitSeen(engine, 10);
            awaitPins(engine, 1);
        }
        Files.delete(in.resolve("done.log"));
        Files.delete(out);
        try (RunningEngine engine =
                plan().pins(PinSettings.Mode.ALWAYS, Duration.ZERO, 1L << 40).start()) {
            engine.awaitDelivered(10L * LINE_BYTES);
            assertAllArrives(engine);
        }
    }

    @Test
    void aPinnedFileNeedsNoDescriptor() throws IOException {
        try (RunningEngine engine = plan().maxOpenFiles(16).start()) {
            for (int i = 0; i < 60; i++) {
                write("app" + i + ".log", 10);
                awaitSeen(engine, 10L * (i + 1));
                rotate("app" + i + ".log", "app" + i + ".log.1");
                awaitPins(engine, i + 1L);
                Files.delete(in.resolve("app" + i + ".log.1"));
            }
            Files.delete(out);
            engine.awaitDelivered(600L * LINE_BYTES);
            awaitPins(engine, 0);
            assertAllArrives(engine);
        }
    }

    @Test
    void theBudgetReleasesTheOldestDeletedFileAndCountsItAsLost() throws IOException {
        try (RunningEngine engine = plan().pins(PinSettings.Mode.ROTATED, Duration.ZERO, 25L * LINE_BYTES)
                .start()) {
            for (int i = 0; i < 3; i++) {
                write("app" + i + ".log", 10);
                awaitSeen(engine, 10L * (i + 1));
                rotate("app" + i + ".log", "app" + i + ".log.1");
                awaitPins(engine, i + 1L);
            }
            for (int i = 0; i < 3; i++) {
                Files.delete(in.resolve("app" + i + ".log.1"));
            }
            awaitPins(engine, 2);
            assertThat(engine.count(Event.PIN_RELEASED)).isEqualTo(1);
            Files.delete(out);
            Status status = engine.await("the rest", s -> s.books().pending() == 0);
            assertThat(status.books().lost()).isEqualTo(10L * LINE_BYTES);
            assertThat(status.books().delivered()).isEqualTo(20L * LINE_BYTES);
            assertThat(status.books().balance()).isTrue();
        }
        written.remove("app0.log");
        var tally = new LineChecker().readFolder(out).tally(written);
        assertThat(tally.isClean()).as(tally.toString()).isTrue();
    }

    @Test
    void anotherFilesystemIsToldOnceAndNothingElseIsDisturbed() throws IOException {
        Path shared = Path.of("/dev/shm");
        assumeThat(Files.isWritable(shared)).as("a second filesystem").isTrue();
        Path state = Files.createTempDirectory(shared, "tailrace");
        try (RunningEngine engine = new RunningEngine.Plan(state)
                .include(in + "/*.log")
                .pins(PinSettings.Mode.ROTATED, Duration.ofMillis(1500), 1L << 40)
                .toFolder(out, "objects")
                .start()) {
            write("app.log", 10);
            awaitSeen(engine, 10);
            rotate("app.log", "app.log.1");
            engine.await("a warning", status -> engine.count(Event.PIN_FAILED) == 1);
            Files.delete(out);
            assertAllArrives(engine);
        } finally {
            try (var all = Files.walk(state)) {
                for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}
