package tailrace.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Very many small files: present at the start, or idle. */
final class SmallFilesBench {
    private static final double IDLE_SECONDS = 10;

    private final Bed bed;
    private final Report report;

    SmallFilesBench(Bed bed, Report report) {
        this.bed = bed;
        this.report = report;
    }

    private Path files(String name, int count, int bytes) throws IOException {
        Path folder = bed.path(name);
        if (!Files.exists(folder)) {
            Files.createDirectories(folder);
            byte[] content = ("x".repeat(bytes - 1) + "\n").getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            for (int i = 0; i < count; i++) {
                Files.write(folder.resolve("event-%06d.log".formatted(i)), content);
            }
        }
        return folder;
    }

    void backlog(int count) throws IOException {
        Path source = files("small-" + count, count, 1000);
        Child.Measured measured = bed.shipObjects(source).await();
        long bytes = bed.objectBytes();
        report.title(count + " files of 1000 bytes, present at the start -> file sink, durability fsync");
        if (measured.exit() != 0 || bytes != count * 1000L) {
            throw new IOException("ship ended with " + measured.exit() + " and delivered " + bytes + " bytes");
        }
        report.atMost("all delivered, with the start of the JVM", measured.seconds(), 30, " s");
        report.line("objects", Integer.toString(bed.objects().size()));
        report.line("CPU", "%.2f s".formatted(measured.cpuSeconds()));
        report.line("peak RSS", "%.0f MB".formatted(measured.peakMegabytes()));
        bed.delete("out");
    }

    void idle(int count) throws IOException {
        Path source = files("idle-" + count, count, 1000);
        Child agent = bed.shipObjects(source, "--follow");
        double settled = awaitBytes(agent, count * 1000L);
        sleep(10); // the JVM compiles what the start has made hot
        double before = agent.cpuSecondsNow();
        sleep(IDLE_SECONDS);
        double percent = (agent.cpuSecondsNow() - before) / IDLE_SECONDS * 100;
        report.title(count + " idle files");
        report.atMost("settled: all delivered, after the start of the process", settled, 3, " s");
        report.atMost("CPU over 10 s", Math.round(percent * 10) / 10.0, 0.0, " %");
        report.atMost("peak RSS", agent.peakMegabytes(), 150, " MB");
        agent.stop();
        bed.delete("out");
    }

    private double awaitBytes(Child agent, long bytes) throws IOException {
        while (agent.secondsSinceStart() < 60) {
            if (bed.objectBytes() >= bytes) {
                return agent.secondsSinceStart();
            }
            sleep(0.01);
        }
        throw new IOException("not delivered within a minute");
    }

    private static void sleep(double seconds) {
        java.util.concurrent.locks.LockSupport.parkNanos((long) (seconds * 1e9));
    }
}
