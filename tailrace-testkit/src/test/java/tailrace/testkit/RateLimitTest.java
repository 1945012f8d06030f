package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.deliver.RateLimit;

class RateLimitTest {
    private static final int LINE_BYTES = 100;
    private static final int BATCH_BYTES = 1000;
    private static final long SECOND_NANOS = 1_000_000_000L;

    @TempDir
    Path folder;

    private long write(int lines) throws IOException {
        Path in = Files.createDirectory(folder.resolve("in"));
        try (var writer = new LineWriter("app", LINE_BYTES, in.resolve("app.log"))) {
            writer.write(lines);
        }
        return (long) lines * LINE_BYTES;
    }

    private RunningEngine start(RateLimit limit) throws IOException {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(folder.resolve("in") + "/*.log")
                .batch(BATCH_BYTES, Duration.ofMillis(20))
                .limit(limit)
                .toFolder(folder.resolve("out"), "objects")
                .start();
    }

    private void assertArrivedOnce(long lines) throws IOException {
        var checker = new LineChecker().readFolder(folder.resolve("out"));
        assertThat(checker.tally(Map.of("app", lines))).isEqualTo(new LineChecker.Tally(lines, lines, 0, 0, 0));
    }

    @Test
    void noMoreThanSoManyBatchesASecondAreSent() throws IOException {
        long bytes = write(100);
        long begun = System.nanoTime();
        try (RunningEngine engine = start(new RateLimit(0, 8))) {
            engine.awaitDelivered(bytes);
        }
        assertThat(System.nanoTime() - begun).isGreaterThan(9 * SECOND_NANOS / 8); // the first one is free
        assertArrivedOnce(100);
    }

    @Test
    void noMoreThanSoManyBytesASecondAreSent() throws IOException {
        long bytes = write(100);
        long begun = System.nanoTime();
        try (RunningEngine engine = start(new RateLimit(8L * BATCH_BYTES, 0))) {
            engine.awaitDelivered(bytes);
        }
        assertThat(System.nanoTime() - begun).isGreaterThan(9 * SECOND_NANOS / 8);
        assertArrivedOnce(100);
    }

    @Test
    void whileDrainingNothingIsLimited() throws IOException {
        write(1000);
        try (RunningEngine engine = start(new RateLimit(0, 1))) {
            engine.await("a batch", status -> status.books().delivered() > 0);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue(); // it would take a hundred
        }
        assertArrivedOnce(1000);
    }
}
