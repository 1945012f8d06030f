package tailrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tailrace.core.track.Books;

/** Files that are written, renamed, truncated, moved and deleted, by real calls in real folders. */
class FollowingTest {
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
    }

    private RunningEngine.Plan plan(String layout) {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/**/*.log*")
                .toFolder(out, layout);
    }

    private LineWriter writer(String name, String file) throws IOException {
        return new LineWriter(name, LINE_BYTES, in.resolve(file));
    }

    private void done(LineWriter writer) throws IOException {
        written.put(writer.name(), writer.written());
        writer.close();
    }

    /** Drains and compares every line, and every byte of the books. */
    private void assertAllArrived(RunningEngine engine) throws IOException {
        assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        Books books = engine.finalStatus().books();
        var checker = new LineChecker().readFolder(out);
        LineChecker.Tally tally = checker.tally(written);
        assertThat(tally.isClean())
                .as(tally + ", first garbled: " + checker.firstGarbled() + ", " + books)
                .isTrue();
        assertThat(books.lost()).isZero();
        assertThat(books.pending()).isZero();
        assertThat(books.balance()).as(books.toString()).isTrue();
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"objects", "append"})
    void whatIsThereAndWhatIsAddedArrives(String layout) throws IOException {
        LineWriter writer = writer("a", "a.log");
        writer.write(1000);
        RunningEngine engine = plan(layout).start();
        engine.awaitDelivered(100_000);
        writer.write(1000);
        done(writer);
        assertAllArrived(engine);
    }

    @ParameterizedTest
    @ValueSource(strings = {"objects", "append"})
    void renamesWithNamesInsideTheGlobLoseNothing(String layout) throws IOException {
        RunningEngine engine = plan(layout).start();
        LineWriter writer = writer("a", "app.log");
        for (int i = 0; i < 200; i++) {
            writer.write(50);
            Files.move(in.resolve("app.log"), in.resolve("app.log." + i));
            writer.write(3); // as services do until they are told
            writer.reopen(in.resolve("app.log"));
        }
        done(writer);
        assertAllArrived(engine);
    }

    @Test
    void renamesWithNamesOutsideTheGlobLoseNothing() throws IOException {
        RunningEngine engine = plan("objects").start();
        Path old = Files.createDirectory(folder.resolve("old"));
        LineWriter writer = writer("a", "app.log");
        engine.await("the file", status -> status.files() == 1);
        for (int i = 0; i < 100; i++) {
            writer.write(50);
            Files.move(in.resolve("app.log"), (i % 2 == 0 ? old : in).resolve("rotated-" + i));
            writer.write(3);
            writer.reopen(in.resolve("app.log"));
            int files = i + 2;
            engine.await("the next file", status -> status.files() == files);
        }
        done(writer);
        assertAllArrived(engine);
    }

    @Test
    void aFileThatIsUnlinkedRightAfterItsLastWriteArrivesWhole() throws IOException {
        RunningEngine engine = plan("objects").start();
        for (int i = 0; i < 50; i++) {
            int delivered = i;
            LineWriter writer = writer("w" + i, "short-" + i + ".log");
            engine.await("the file", status -> status.files() == 1 || status.batchesDelivered() > delivered);
            writer.write(100);
            Files.delete(in.resolve("short-" + i + ".log"));
            done(writer);
            engine.await("it to be forgotten", status -> status.files() == 0);
        }
        assertAllArrived(engine);
    }

    @Test
    void aPartialLineOfADeletedFileIsNotHeldBack() throws IOException {
        RunningEngine engine =
                plan("objects").flushPartialAfter(Duration.ofHours(1)).start();
        Path file = in.resolve("p.log");
        Files.writeString(file, "no newline");
        engine.await("the file", status -> status.files() == 1);
        Files.delete(file);
        engine.awaitDelivered(10);
        engine.close();
    }

    @Test
    void aPartialLineIsHeldUntilItEnds() throws IOException {
        RunningEngine engine =
                plan("append").flushPartialAfter(Duration.ofHours(1)).start();
        LineWriter writer = writer("a", "a.log");
        writer.write(1);
        writer.writeInTwo(() -> {
            engine.awaitDelivered(LINE_BYTES);
            assertThat(out.resolve("a.log")).hasSize(LINE_BYTES);
        });
        engine.awaitDelivered(2 * LINE_BYTES);
        done(writer);
        assertAllArrived(engine);
    }

    @Test
    void aPartialLineThatRestsIsSent() throws IOException {
        RunningEngine engine =
                plan("append").flushPartialAfter(Duration.ofMillis(200)).start();
        Files.writeString(in.resolve("p.log"), "no newline");
        engine.awaitDelivered(10);
        assertThat(out.resolve("p.log")).hasContent("no newline");
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"app.log.1", "app.copy"})
    void copytruncateNeitherLosesNorDoublesWhateverTheCopyIsCalled(String copy) throws IOException {
        RunningEngine engine =
                plan("objects").batch(1 << 20, Duration.ofMillis(300)).start();
        LineWriter writer = writer("a", "app.log");
        for (int i = 0; i < 5; i++) {
            writer.write(1000);
            engine.awaitDelivered(writer.written() * LINE_BYTES / 2);
            writer.write(500);
            long seen = writer.written();
            Files.deleteIfExists(in.resolve(copy));
            Files.copy(in.resolve("app.log"), in.resolve(copy));
            writer.truncate();
            writer.write(10);
            engine.awaitDelivered(seen * LINE_BYTES);
        }
        done(writer);
        assertAllArrived(engine);
    }

    @Test
    void aPlainCopyIsAFileOfItsOwn() throws IOException {
        RunningEngine engine = plan("objects").start();
        LineWriter writer = writer("a", "app.log");
        writer.write(100);
        engine.awaitDelivered(100 * LINE_BYTES);
        Files.copy(in.resolve("app.log"), in.resolve("backup.log"));
        engine.awaitDelivered(200 * LINE_BYTES);
        writer.close();
        engine.close();
    }

    @Test
    void aFileTruncatedAndRewrittenLongerThanBeforeIsDeliveredAnew() throws IOException {
        RunningEngine engine = plan("objects").start();
        LineWriter first = writer("first", "app.log");
        first.write(100);
        engine.awaitDelivered(100 * LINE_BYTES);
        done(first);
        var rewritten = new java.io.ByteArrayOutputStream();
        for (int i = 0; i < 150; i++) {
            rewritten.write(new NumberedLine("second", i).bytes(LINE_BYTES));
        }
        Files.write(in.resolve("app.log"), rewritten.toByteArray());
        written.put("second", 150L);
        engine.awaitDelivered(250 * LINE_BYTES);
        assertAllArrived(engine);
    }

    @Test
    void aFileThatGetsTheInodeOfADeletedOneIsAnother() throws IOException {
        RunningEngine engine = plan("objects").start();
        var inodes = new java.util.HashSet<Object>();
        int reused = 0;
        for (int i = 0; i < 60; i++) {
            LineWriter writer = writer("w" + i, "app.log");
            writer.write(10);
            reused += inodes.add(Files.getAttribute(in.resolve("app.log"), "unix:ino")) ? 0 : 1;
            done(writer);
            engine.awaitDelivered((i + 1) * 10L * LINE_BYTES);
            Files.delete(in.resolve("app.log"));
            engine.await("it to be forgotten", status -> status.files() == 0);
        }
        assertThat(reused).as("inode numbers that came back").isPositive();
        assertAllArrived(engine);
    }

    @Test
    void tenFilesWithTheSameFirst64KbAreTen() throws IOException {
        RunningEngine engine =
                plan("objects").batch(1 << 20, Duration.ofMillis(20)).start();
        byte[] head = "# the same header in each file, as csv exports have it\n"
                .repeat(1200)
                .getBytes(UTF_8);
        assertThat(head.length).isGreaterThan(64 * 1024);
        for (int i = 0; i < 10; i++) {
            Path file = in.resolve("same-" + i + ".log");
            Files.write(file, head);
            LineWriter writer = writer("w" + i, "same-" + i + ".log");
            writer.write(100);
            done(writer);
        }
        assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        Books books = engine.finalStatus().books();
        assertThat(books.delivered()).isEqualTo(10L * (head.length + 100 * LINE_BYTES));
        engine.close();
        LineChecker.Tally tally = new LineChecker().readFolder(out).tally(written);
        assertThat(tally.lost()).isZero();
        assertThat(tally.duplicated()).isZero();
        assertThat(tally.garbled()).as("lines of the headers").isEqualTo(10 * 1200);
    }

    @Test
    void movesBetweenWatchedFoldersAndOfFoldersKeepThePosition() throws IOException {
        Path a = Files.createDirectories(in.resolve("a"));
        Path b = Files.createDirectories(in.resolve("b"));
        RunningEngine engine = plan("objects").start();
        LineWriter writer = writer("w", "a/app.log");
        for (int i = 0; i < 20; i++) {
            writer.write(50);
            Files.move((i % 2 == 0 ? a : b).resolve("app.log"), (i % 2 == 0 ? b : a).resolve("app.log"));
            writer.write(50);
        }
        Files.move(a, in.resolve("c"));
        writer.write(50);
        engine.awaitDelivered(writer.written() * LINE_BYTES);
        writer.reopen(in.resolve("c/next.log"));
        writer.write(50);
        done(writer);
        engine.awaitDelivered(writer.written() * LINE_BYTES);
        assertAllArrived(engine);
    }

    @Test
    void foldersThatAppearLaterAreWatched() throws IOException {
        RunningEngine engine = plan("objects").start();
        for (int i = 0; i < 20; i++) {
            Path deep = Files.createDirectories(in.resolve("x" + i + "/y/z"));
            LineWriter writer = new LineWriter("w" + i, LINE_BYTES, deep.resolve("late.log"));
            writer.write(100);
            done(writer);
        }
        engine.awaitDelivered(20L * 100 * LINE_BYTES);
        assertAllArrived(engine);
    }

    @Test
    void aRestartGoesOnWhereItStopped() throws IOException {
        LineWriter writer = writer("a", "app.log");
        for (int i = 0; i < 5; i++) {
            writer.write(300);
            RunningEngine engine = plan("objects").start();
            engine.awaitDelivered(writer.written() * LINE_BYTES);
            Files.move(in.resolve("app.log"), in.resolve("app.log." + i)); // renamed while it runs
            writer.write(100);
            engine.close();
            Files.move(in.resolve("app.log." + i), in.resolve("app.log." + i + ".old")); // and while it does not
            writer.write(100);
            writer.reopen(in.resolve("app.log"));
        }
        done(writer);
        assertAllArrived(plan("objects").start());
    }

    @Test
    void moreFilesThanDescriptorsAreDelivered() throws IOException {
        RunningEngine engine = plan("objects").maxOpenFiles(16).start();
        for (int i = 0; i < 500; i++) {
            LineWriter writer = writer("w" + i, "f" + i + ".log");
            writer.write(5);
            done(writer);
        }
        engine.awaitDelivered(500L * 5 * LINE_BYTES);
        for (int i = 0; i < 500; i += 7) {
            LineWriter writer = new LineWriter("again" + i, LINE_BYTES, in.resolve("f" + i + ".log"));
            writer.write(5);
            done(writer);
        }
        assertAllArrived(engine);
    }
}
