package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.deliver.Integrity;
import tailrace.core.engine.Status;
import tailrace.linux.Errno;
import tailrace.linux.InotifyEvent;
import tailrace.linux.LinuxPath;

/** A kernel that does not tell everything, or cannot do everything: the slower way is taken, with the same end. */
class DeafAndLimitedTest {
    private static final int LINE_BYTES = 100;

    @TempDir
    Path folder;

    private final FaultyKernel kernel = new FaultyKernel();
    private Path in;
    private Path out;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        out = folder.resolve("out");
    }

    private RunningEngine.Plan plan() {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/**/*.log")
                .toFolder(out, "objects")
                .kernel(kernel);
    }

    private void write(String name, int lines) throws IOException {
        try (var writer = new LineWriter(name, LINE_BYTES, in.resolve(name))) {
            writer.write(lines);
        }
    }

    private void assertClean(Map<String, Long> written) throws IOException {
        assertThat(new LineChecker().readFolder(out).tally(written).isClean()).isTrue();
    }

    @Test
    void anOverflowOfEventsIsFollowedByAFullScan() throws IOException {
        write("known.log", 10);
        try (RunningEngine engine = plan().start()) {
            engine.awaitDelivered(10L * LINE_BYTES);
            var overflown = new AtomicBoolean();
            kernel.replaceAnswer(call -> call.name().equals("readEvents"), answer -> {
                if (((List<?>) answer).isEmpty() || overflown.getAndSet(true)) {
                    return answer;
                }
                return List.of(new InotifyEvent(-1, InotifyEvent.OVERFLOW, 0, LinuxPath.of("")));
            });
            Files.createDirectory(in.resolve("new"));
            write("new/unheard.log", 10);
            engine.awaitDelivered(20L * LINE_BYTES);
            assertThat(engine.count(Event.EVENTS_OVERFLOWED)).isEqualTo(1);
        }
        assertClean(Map.of("known.log", 10L, "new/unheard.log", 10L));
    }

    @Test
    void whatInotifyNeverTellsIsFoundByTheSlowScan() throws IOException {
        write("quiet.log", 10);
        try (RunningEngine engine = plan().clock(new FastClock()).start()) {
            engine.awaitDelivered(10L * LINE_BYTES);
            kernel.replaceAnswer(call -> call.name().equals("readEvents"), answer -> List.of());
            try (var writer = new LineWriter("more", LINE_BYTES, in.resolve("quiet.log"))) {
                writer.write(10);
            }
            engine.awaitDelivered(20L * LINE_BYTES);
        }
        assertClean(Map.of("quiet.log", 10L, "more", 10L));
    }

    @Test
    void aRewriteThatNobodyToldIsFoundBeforeAnythingOfItIsSealed() throws IOException {
        write("app.log", 10);
        try (RunningEngine engine =
                plan().batch(1 << 20, Duration.ofMillis(500)).start()) {
            engine.awaitDelivered(10L * LINE_BYTES);
            try (var writer = new LineWriter("gone", LINE_BYTES, in.resolve("app.log"))) {
                writer.write(10);
            }
            engine.await("the growth", status -> status.books().pending() == 10L * LINE_BYTES);
            kernel.replaceAnswer(call -> call.name().equals("readEvents"), answer -> List.of());
            var rewritten = new java.io.ByteArrayOutputStream();
            for (int i = 0; i < 30; i++) {
                rewritten.writeBytes(new NumberedLine("second", i).bytes(LINE_BYTES));
            }
            Files.write(in.resolve("app.log"), rewritten.toByteArray());
            engine.awaitDelivered(40L * LINE_BYTES);
            assertThat(engine.status().books().lost()).isEqualTo(10L * LINE_BYTES);
            assertThat(engine.status().books().balance()).isTrue();
        }
        assertClean(Map.of("app.log", 10L, "second", 30L));
    }

    @Test
    void aFilesystemThatIsMountedUnderAnotherIdHoldsTheSameFiles() throws IOException {
        write("app.log", 10);
        try (RunningEngine engine = plan().start()) {
            engine.awaitDelivered(10L * LINE_BYTES);
        }
        kernel.replaceAnswer(
                call -> call.name().equals("filesystemUuid"), answer -> java.util.Optional.of(new byte[] {1, 2, 3}));
        try (RunningEngine engine = plan().start()) {
            engine.await("the adoption", status -> engine.count(Event.FILE_ADOPTED) == 1);
            Files.move(in.resolve("app.log"), in.resolve("renamed.log"));
            try (var writer = new LineWriter("more", LINE_BYTES, in.resolve("renamed.log"))) {
                writer.write(10);
            }
            engine.awaitDelivered(20L * LINE_BYTES);
        }
        assertClean(Map.of("app.log", 10L, "more", 10L));
    }

    @Test
    void aDeletedFileIsNotLostBecauseAnotherOfItsBatchHasChanged() throws IOException {
        kernel.fail(Errno.EIO, call -> call.name().equals("link"));
        write("changes.log", 10);
        write("deleted.log", 10);
        try (RunningEngine engine = plan().start()) {
            engine.await("a failure", status -> engine.count(Event.DELIVERY_FAILED) >= 1);
            Files.delete(in.resolve("deleted.log"));
            Files.write(in.resolve("changes.log"), new byte[0]);
            engine.await("the truncation", status -> engine.count(Event.FILE_TRUNCATED) == 1);
            kernel.heal();
            engine.awaitDelivered(10L * LINE_BYTES);
            Status status = engine.await("the books", s -> s.books().pending() == 0);
            assertThat(status.books().lost()).isEqualTo(10L * LINE_BYTES);
            assertThat(status.books().balance()).isTrue();
        }
        assertClean(Map.of("deleted.log", 10L));
    }

    @Test
    void aFileThatComesBackAfterALongTimeElsewhereIsNotANewOne() throws IOException {
        var clock = new FastClock();
        write("app.log", 10);
        try (RunningEngine engine = plan().clock(clock).start()) {
            engine.awaitDelivered(10L * LINE_BYTES);
            Files.move(in.resolve("app.log"), folder.resolve("elsewhere"));
            long longAfter = clock.nanos() + Duration.ofMinutes(12).toNanos();
            engine.await("time to pass", status -> clock.nanos() > longAfter);
            Files.move(folder.resolve("elsewhere"), in.resolve("back.log"));
            try (var writer = new LineWriter("more", LINE_BYTES, in.resolve("back.log"))) {
                writer.write(10);
            }
            engine.awaitDelivered(20L * LINE_BYTES);
        }
        assertClean(Map.of("app.log", 10L, "more", 10L));
    }

    /** Five minutes in a second and a half. */
    private static final class FastClock implements Clock {
        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public long nanos() {
            return System.nanoTime() * 200;
        }
    }

    @Test
    void withoutWatchesFoldersAreListedInstead() throws IOException {
        kernel.fail(Errno.ENOSPC, call -> call.name().equals("addWatch"));
        try (RunningEngine engine = plan().start()) {
            engine.await("the warning", status -> engine.count(Event.WATCH_LIMIT) >= 1);
            write("app.log", 10);
            engine.awaitDelivered(10L * LINE_BYTES);
        }
        assertClean(Map.of("app.log", 10L));
    }

    @Test
    void copiesFallBackFromOneCallToTheNext() throws IOException {
        try (RunningEngine engine = plan().integrity(Integrity.LENGTH).start()) {
            write("a.log", 1000);
            engine.awaitDelivered(1000L * LINE_BYTES);
            kernel.fail(Errno.EXDEV, call -> call.name().equals("copyFileRange"));
            write("b.log", 1000);
            engine.awaitDelivered(2000L * LINE_BYTES);
            kernel.fail(Errno.EINVAL, call -> call.name().equals("sendfile"));
            write("c.log", 1000);
            engine.awaitDelivered(3000L * LINE_BYTES);
        }
        assertClean(Map.of("a.log", 1000L, "b.log", 1000L, "c.log", 1000L));
    }

    @Test
    void objectsAreWholeAlsoWhereThereAreNoUnnamedFiles() throws IOException {
        long temporary = tailrace.linux.OpenHow.temporary(0644).flags();
        kernel.fail(
                Errno.EOPNOTSUPP,
                call -> call.name().equals("open")
                        && call.arguments().getLast() instanceof tailrace.linux.OpenHow how
                        && how.flags() == temporary);
        write("app.log", 1000);
        try (RunningEngine engine = plan().start()) {
            engine.awaitDelivered(1000L * LINE_BYTES);
        }
        assertClean(Map.of("app.log", 1000L));
        try (var files = Files.walk(out)) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith(".tailrace-")))
                    .isEmpty();
        }
    }

    @Test
    void anotherFilesystemIsNoObstacle() throws IOException {
        Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "tailrace-test-");
        try {
            write("app.log", 1000);
            try (RunningEngine engine = plan().toFolder(memory.resolve("out"), "objects")
                    .integrity(Integrity.LENGTH)
                    .start()) {
                assertThat(engine.drain(Duration.ofSeconds(10))).isTrue();
            }
            assertThat(new LineChecker()
                            .readFolder(memory.resolve("out"))
                            .tally(Map.of("app.log", 1000L))
                            .isClean())
                    .isTrue();
        } finally {
            try (var files = Files.walk(memory)) {
                for (Path file :
                        files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void aFileMovedAwayWhileTheAgentIsDownIsFoundByItsHandle() throws IOException {
        write("app.log", 10);
        try (RunningEngine engine = plan().start()) {
            engine.awaitDelivered(10L * LINE_BYTES);
        }
        try (var writer = new LineWriter("more", LINE_BYTES, in.resolve("app.log"))) {
            writer.write(10);
        }
        Files.move(in.resolve("app.log"), folder.resolve("elsewhere"));
        boolean mayOpenByHandle = "root".equals(System.getProperty("user.name"));
        try (RunningEngine engine = plan().start()) {
            if (mayOpenByHandle) {
                engine.awaitDelivered(20L * LINE_BYTES);
            } else {
                assertThat(engine.drain(Duration.ofSeconds(5))).isTrue();
            }
        }
        assertClean(mayOpenByHandle ? Map.of("app.log", 10L, "more", 10L) : Map.of("app.log", 10L));
    }

    @Test
    void aFileDeletedWhileTheAgentIsDownIsCountedAsLost() throws IOException {
        kernel.fail(Errno.EIO, call -> call.name().equals("link"));
        write("app.log", 10);
        try (RunningEngine engine = plan().start()) {
            engine.await("a failure", status -> engine.count(Event.DELIVERY_FAILED) >= 1);
        }
        kernel.heal();
        Files.delete(in.resolve("app.log"));
        try (RunningEngine engine = plan().start()) {
            Status status = engine.await("the loss", s -> s.books().lost() == 10L * LINE_BYTES);
            assertThat(status.books().balance()).isTrue();
            assertThat(status.books().pending()).isZero();
        }
    }
}
