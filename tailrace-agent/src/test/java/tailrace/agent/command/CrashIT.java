package tailrace.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tailrace.agent.status.StatusJson;
import tailrace.core.engine.Status;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;

/** The agent is killed, or told to stop, at bad moments. */
class CrashIT {
    private static final int KILLS = 30;
    private static final int LINE_BYTES = 200;

    @TempDir
    Path folder;

    private Path in;
    private Path out;
    private Path config;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        out = folder.resolve("out");
        config = folder.resolve("tailrace.yaml");
    }

    private void configure(String layout, String drainTimeout, String batchBytes) throws IOException {
        Files.writeString(config, """
            state: %1$s/state
            host: testhost
            sources: {app: {include: ['%1$s/in/*.log*']}}
            sinks: {archive: {type: file, path: %1$s/out, layout: %2$s}}
            routes: [{from: app, to: archive, batch: {age: 20ms, bytes: %4$s}}]
            drain: {timeout: %3$s}
            """.formatted(folder, layout, drainTimeout, batchBytes));
    }

    private AgentProcess start() throws IOException {
        Path output = Files.createTempFile(folder, "output", ".txt");
        return AgentProcess.start(output, "run", "--config", config.toString());
    }

    private Status status() throws IOException {
        AgentProcess.Result result = AgentProcess.run("status", "--config", config.toString(), "--json");
        assertThat(result.exit()).as(result.output()).isZero();
        return StatusJson.read(result.output());
    }

    private void assertAllArrived(Map<String, Long> written) throws IOException {
        var checker = new LineChecker().readFolder(out);
        LineChecker.Tally tally = checker.tally(written);
        assertThat(tally.isClean()).as(tally + ", " + checker.firstGarbled()).isTrue();
        AgentProcess.Result audit = AgentProcess.run("audit", "--config", config.toString(), "--deep");
        assertThat(audit.exit()).as(audit.output()).isZero();
    }

    /** Writes and renames until told to stop, slowly enough for a disk to keep what 30 runs write. */
    private CompletableFuture<LineWriter> writeUntil(AtomicBoolean stopped, String name) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                Path file = in.resolve(name + ".log");
                var writer = new LineWriter(name, LINE_BYTES, file);
                for (int i = 0; !stopped.get(); i++) {
                    writer.write(20);
                    if (i % 100 == 99) {
                        Files.move(file, in.resolve(name + ".log." + i));
                        writer.write(2);
                        writer.reopen(file);
                    }
                    LockSupport.parkNanos(1_000_000);
                }
                writer.close();
                return writer;
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"objects", "append"})
    void thirtyKillsUnderLoadLoseNothingAndDoubleNothing(String layout) throws IOException {
        configure(layout, "30s", "64KiB");
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        var stopped = new AtomicBoolean();
        CompletableFuture<LineWriter> first = writeUntil(stopped, "a");
        CompletableFuture<LineWriter> second = writeUntil(stopped, "b");
        for (int i = 0; i < KILLS; i++) {
            AgentProcess agent = start();
            if (i % 5 > 0) {
                agent.awaitOutput("STARTED"); // every fifth dies somewhere in its start
            }
            LockSupport.parkNanos(random.nextLong(0, 600_000_000));
            assertThat(agent.isAlive()).as(agent.output()).isTrue();
            agent.kill();
        }
        stopped.set(true);
        var written = new HashMap<String, Long>();
        written.put("a", first.join().written());
        written.put("b", second.join().written());
        AgentProcess last = start();
        last.awaitOutput("STARTED");
        assertThat(last.terminate()).as("seed " + seed + ": " + last.output()).isZero();
        assertAllArrived(written);
        assertThat(status().books().pending()).isZero();
        assertThat(status().books().lost()).isZero();
    }

    @Test
    void aDeadlineThatPassesLeavesARestForTheNextStart() throws IOException {
        configure("objects", "0ms", "1MiB");
        int lines = 500_000;
        try (var writer = new LineWriter("w", LINE_BYTES, in.resolve("w.log"))) {
            writer.write(lines);
        }
        AgentProcess agent = start();
        agent.awaitThat("the first object", () -> Files.exists(out));
        assertThat(agent.terminate()).isEqualTo(75);
        assertThat(agent.output()).containsPattern("pending: .*w\\.log bytes \\[\\d+, 100000000\\) for app>archive");
        Status between = status();
        assertThat(between.books().pending()).isPositive();
        assertThat(between.books().seen()).isEqualTo((long) lines * LINE_BYTES);
        assertThat(between.books().balance()).isTrue();

        configure("objects", "30s", "1MiB");
        AgentProcess next = start();
        next.awaitOutput("STARTED");
        assertThat(next.terminate()).as(next.output()).isZero();
        assertAllArrived(Map.of("w", (long) lines));
    }
}
