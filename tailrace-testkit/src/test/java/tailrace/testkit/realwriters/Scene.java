package tailrace.testkit.realwriters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import tailrace.testkit.LineChecker;
import tailrace.testkit.NumberedLine;
import tailrace.testkit.RunningEngine;
import tailrace.testkit.Tool;

/** A folder that is followed, an engine, and what must have arrived when all is over. */
final class Scene implements AutoCloseable {
    static final int LINE_BYTES = 120;

    final Path in;
    final Path work;
    private final Path out;
    private final RunningEngine engine;
    private final Map<String, Long> written = new HashMap<>();

    Scene(Path folder, String layout) throws IOException {
        in = Files.createDirectories(folder.resolve("in"));
        work = Files.createDirectories(folder.resolve("work"));
        out = folder.resolve("out");
        engine = new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/**")
                .exclude("*.gz")
                .exclude("*.tmp")
                .exclude(".*")
                .exclude("*.swp")
                .exclude("lock")
                .exclude("config")
                .exclude("state")
                .batch(256 << 10, Duration.ofMillis(50))
                .toFolder(out, layout)
                .start();
        engine.status(); // which it answers when it watches
    }

    /** A program, or the test is skipped. */
    static Tool tool(String name, String debianPackage) throws IOException {
        Optional<Tool> found = Tool.find(name, debianPackage);
        assumeThat(found)
                .as("%s, of the package %s, is not installed and cannot be", name, debianPackage)
                .isPresent();
        return found.orElseThrow();
    }

    /** A line without its newline, as logging libraries want it. */
    static String line(String writer, long number) {
        byte[] bytes = new NumberedLine(writer, number).bytes(LINE_BYTES);
        return new String(bytes, 0, bytes.length - 1, java.nio.charset.StandardCharsets.US_ASCII);
    }

    /** These lines were written, all of them to files that are followed. */
    void written(String writer, long lines) {
        written.merge(writer, lines, Long::sum);
    }

    void awaitDelivered(long bytes) {
        engine.awaitDelivered(bytes);
    }

    /** Drains and compares: every line once, and the books say so. */
    void assertAllArrivedOnce() throws IOException {
        assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
        var checker = new LineChecker().readFolder(out);
        LineChecker.Tally tally = checker.tally(written);
        assertThat(tally.isClean())
                .as(tally + ", first garbled: " + checker.firstGarbled() + ", " + engine.finalStatus())
                .isTrue();
        assertThat(tally.found()).isEqualTo(tally.written());
        assertThat(engine.finalStatus().books().lost()).isZero();
    }

    /** As {@link #assertAllArrivedOnce}, where the rotation itself may have destroyed lines: what it has kept counts. */
    void assertWhatWasKeptArrivedOnce(LineChecker kept) throws IOException {
        assertThat(linesMissingOf(kept)).isZero();
    }

    /** As {@link #assertWhatWasKeptArrivedOnce}, but what is in the books as lost may be missing. */
    void assertWhatWasKeptArrivedOnceOrIsCounted(LineChecker kept) throws IOException {
        long missing = linesMissingOf(kept);
        assertThat(missing * LINE_BYTES)
                .as(engine.finalStatus().toString())
                .isLessThanOrEqualTo(engine.finalStatus().books().lost());
    }

    /** Drains; a copy may end within a line, which is then torn wherever it arrives. */
    private long linesMissingOf(LineChecker kept) throws IOException {
        assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
        var arrived = new LineChecker().readFolder(out);
        LineChecker.Tally tally = arrived.tally(Map.of());
        assertThat(tally.duplicated()).as(tally.toString()).isZero();
        assertThat(tally.garbled())
                .as("torn, and not by the copy: " + arrived.firstGarbled())
                .isLessThanOrEqualTo(kept.tally(Map.of()).garbled());
        return arrived.missing(kept).values().stream()
                .mapToLong(BitSet::cardinality)
                .sum();
    }

    @Override
    public void close() throws IOException {
        engine.close();
    }
}
