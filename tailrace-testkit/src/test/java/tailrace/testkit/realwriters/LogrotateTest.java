package tailrace.testkit.realwriters;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.Tool;

/** logrotate, in the ways it is used, while a service writes as fast as it can. */
class LogrotateTest {
    private static final int ROTATIONS = 5;

    /** A few ticks of the slowest clock. */
    private static final long TICKS_NANOS = 30_000_000;

    @TempDir
    Path folder;

    /** A service that opens its file anew when it is told to, as by a signal. */
    private final class Service implements Runnable {
        final String name;
        final Path file;
        final AtomicBoolean over = new AtomicBoolean();
        final Thread thread;
        volatile long lines;

        @SuppressWarnings("ThisEscapedInObjectConstruction")
        Service(String name, Path file) {
            this.name = name;
            this.file = file;
            this.thread = Thread.ofPlatform().start(this);
        }

        @Override
        public void run() {
            try (var writer = new LineWriter(name, Scene.LINE_BYTES, file)) {
                Path reopen = folder.resolve("reopen-" + name);
                while (!over.get()) {
                    writer.write(20);
                    lines = writer.written();
                    if (Files.deleteIfExists(reopen)) {
                        writer.reopen(file);
                    }
                    LockSupport.parkNanos(200_000);
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }

        void stop() {
            over.set(true);
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private Path configuration(Scene scene, String logs, String options, String notify) throws IOException {
        String reopened = "while ls " + folder.resolve("reopen-") + "* >/dev/null 2>&1; do sleep 0.01; done";
        String script = notify.isEmpty() ? "" : "postrotate\n" + notify + "\n" + reopened + "\nendscript\n";
        return Files.writeString(
                folder.resolve("logrotate.conf"),
                logs.replace("IN", scene.in.toString()) + " {\nrotate 1000\nsu root root\nmissingok\n"
                        + options.replace(' ', '\n').replace('_', ' ') + "\n" + script + "}\n");
    }

    private void rotate(Tool logrotate, Path configuration, String... flags) throws IOException {
        for (int i = 0; i < ROTATIONS; i++) {
            LockSupport.parkNanos(100_000_000);
            if (Files.readString(configuration).contains("dateext")) {
                awaitNextSecond(); // which is in the name
            }
            var arguments = new java.util.ArrayList<>(java.util.List.of(flags));
            arguments.add("-s");
            arguments.add(folder.resolve("logrotate.state").toString());
            arguments.add(configuration.toString());
            logrotate.runQuietly(arguments.toArray(String[]::new)); // it is never disturbed
        }
    }

    /** By logrotate's clock, too: time(2) lags behind by up to a tick, so its second may still be the last one. */
    private static void awaitNextSecond() {
        long second = System.currentTimeMillis() / 1000;
        while (System.currentTimeMillis() / 1000 == second) {
            LockSupport.parkNanos(5_000_000);
        }
        LockSupport.parkNanos(TICKS_NANOS);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "create",
        "create compress",
        "create compress delaycompress",
        "create dateext dateformat_-%Y%m%d-%s",
        "nocreate",
    })
    void rotationByRenameLosesAndDoublesNothing(String options) throws IOException {
        Tool logrotate = Scene.tool("logrotate", "logrotate");
        try (var scene = new Scene(folder, "objects")) {
            var service = new Service("app", scene.in.resolve("app.log"));
            Path configuration = configuration(scene, "IN/app.log", options, "touch " + folder.resolve("reopen-app"));
            rotate(logrotate, configuration, "-f");
            service.stop();
            scene.written("app", service.lines);
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void sharedScriptsRotateSeveralFilesAtOnce() throws IOException {
        Tool logrotate = Scene.tool("logrotate", "logrotate");
        try (var scene = new Scene(folder, "append")) {
            var one = new Service("one", scene.in.resolve("one.log"));
            var two = new Service("two", scene.in.resolve("two.log"));
            Path configuration = configuration(
                    scene,
                    "IN/*.log",
                    "create sharedscripts compress delaycompress",
                    "touch " + folder.resolve("reopen-one") + " " + folder.resolve("reopen-two"));
            rotate(logrotate, configuration, "-f");
            one.stop();
            two.stop();
            scene.written("one", one.lines);
            scene.written("two", two.lines);
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void rotationAtASizeLosesAndDoublesNothing() throws IOException {
        Tool logrotate = Scene.tool("logrotate", "logrotate");
        try (var scene = new Scene(folder, "objects")) {
            var service = new Service("app", scene.in.resolve("app.log"));
            Path configuration = configuration(
                    scene, "IN/app.log", "create weekly maxsize_20k", "touch " + folder.resolve("reopen-app"));
            rotate(logrotate, configuration);
            service.stop();
            assertThat(Files.exists(scene.in.resolve("app.log." + (ROTATIONS - 2))))
                    .isTrue();
            scene.written("app", service.lines);
            scene.assertAllArrivedOnce();
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"copytruncate", "copytruncate dateext dateformat_-%Y%m%d-%s"})
    void whatCopytruncateKeepsArrivesOnce(String options) throws IOException {
        Tool logrotate = Scene.tool("logrotate", "logrotate");
        try (var scene = new Scene(folder, "objects")) {
            var service = new Service("app", scene.in.resolve("app.log"));
            rotate(logrotate, configuration(scene, "IN/app.log", options, ""), "-f");
            service.stop();
            LineChecker kept = kept(scene.in);

            scene.assertWhatWasKeptArrivedOnce(kept);
        }
    }

    /** The copy is compressed and deleted within milliseconds: if the loop did not get the processor in time, it says so. */
    @Test
    void ofACopyThatIsCompressedAtOnceEveryLineArrivesOrIsCountedAsLost() throws IOException {
        Tool logrotate = Scene.tool("logrotate", "logrotate");
        try (var scene = new Scene(folder, "objects")) {
            var service = new Service("app", scene.in.resolve("app.log"));
            rotate(logrotate, configuration(scene, "IN/app.log", "copytruncate compress", ""), "-f");
            service.stop();
            scene.assertWhatWasKeptArrivedOnceOrIsCounted(kept(scene.in));
        }
    }

    /** What logrotate has left: lines that were written between its copy and its cut are nowhere. */
    private static LineChecker kept(Path in) throws IOException {
        var kept = new LineChecker();
        try (var files = Files.list(in)) {
            for (Path file : files.toList()) {
                try (InputStream raw = Files.newInputStream(file);
                        InputStream content = file.toString().endsWith(".gz") ? new GZIPInputStream(raw) : raw) {
                    kept.read(content);
                }
            }
        }
        return kept;
    }
}
