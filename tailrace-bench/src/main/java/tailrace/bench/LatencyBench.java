package tailrace.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** How soon a line is visible at the other end, and how soon the first byte after the start of the process. */
final class LatencyBench {
    private static final int LINES = 1000;
    private static final int WARM_UP = 200;
    private static final long INTERVAL_NANOS = 10_000_000;
    private static final long LOOK_NANOS = 50_000;
    private static final int LINE_BYTES = 200;

    private final Bed bed;
    private final Report report;

    LatencyBench(Bed bed, Report report) {
        this.bed = bed;
        this.report = report;
    }

    void run(String durability) throws IOException {
        bed.delete("latency-in");
        bed.delete("out");
        bed.delete("state");
        Path source = Files.createDirectories(bed.path("latency-in"));
        Path written = source.resolve("app.log");
        Path visible = bed.path("out").resolve("app.log");
        byte[] line = ("x".repeat(LINE_BYTES - 1) + "\n").getBytes(StandardCharsets.US_ASCII);
        Files.write(written, line);
        Bed.settle();
        Child agent = Child.startTailrace(
                bed.path("output.txt"),
                List.of(
                        "ship",
                        "--follow",
                        "--include",
                        written.toString(),
                        "--to",
                        "file:" + bed.path("out"),
                        "--batch-age",
                        "0ms",
                        "--durability",
                        durability,
                        "--state",
                        bed.path("state").toString()));
        awaitSize(visible, LINE_BYTES);
        double first = agent.secondsSinceStart();
        double[] millis = new double[LINES];
        try (FileChannel out = FileChannel.open(written, StandardOpenOption.APPEND)) {
            long next = System.nanoTime();
            for (int i = -WARM_UP; i < LINES; i++) {
                next += INTERVAL_NANOS;
                LockSupport.parkNanos(next - System.nanoTime());
                long begun = System.nanoTime();
                out.write(ByteBuffer.wrap(line));
                awaitSize(visible, LINE_BYTES * (i + WARM_UP + 2L));
                if (i >= 0) {
                    millis[i] = (System.nanoTime() - begun) / 1e6;
                }
            }
        }
        report.title("one line every 10 ms -> file sink, layout append, age 0ms, durability " + durability);
        report.atMost("start of the process to the first delivered byte", first, 1.0, " s");
        report.atMost("write to visible, p50", Report.percentile(millis, 0.5), 2, " ms");
        report.atMost("write to visible, p99", Report.percentile(millis, 0.99), 8, " ms");
        report.line("write to visible, most", "%.2f ms".formatted(Report.percentile(millis, 1)));
        agent.stop();
    }

    private static void awaitSize(Path file, long size) throws IOException {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (file.toFile().length() < size) {
            if (System.nanoTime() > deadline) {
                throw new IOException(file + " does not grow to " + size + " bytes");
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }
}
