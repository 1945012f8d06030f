package tailrace.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process under measurement, watched from outside by /proc: when its first and last bytes moved, what CPU time it took
 * between, and how large it grew.
 */
final class Child {
    /** Class files and the like are read, but hardly anything is written before the first byte of the work. */
    private static final long FIRST_BYTES = 256 * 1024;

    private static final long SAMPLE_NANOS = 2_000_000;
    private static final double TICKS_PER_SECOND = 100;
    private static final long PATIENCE_SECONDS = 300;

    /**
     * What was measured.
     *
     * @param seconds from start to exit
     * @param moveSeconds from the first to the last byte written
     * @param moveCpuSeconds CPU time in that span, in steps of 10 ms
     */
    record Measured(
            int exit,
            double seconds,
            double cpuSeconds,
            double moveSeconds,
            double moveCpuSeconds,
            double peakMegabytes) {}

    private final Process process;
    private final long startNanos = System.nanoTime();
    private final Path proc;
    private double peakMegabytes;
    private double cpuSeconds;

    private Child(Process process) {
        this.process = process;
        this.proc = Path.of("/proc/" + process.pid());
    }

    static Child start(Path output, List<String> command) throws IOException {
        var builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true).redirectOutput(output.toFile());
        return new Child(builder.start());
    }

    static Child startTailrace(Path output, List<String> arguments) throws IOException {
        var command = new ArrayList<>(List.of(launcher()));
        command.addAll(arguments);
        return start(output, command);
    }

    /**
     * Measures a process from start to end.
     *
     * @throws IOException with what it said, if it has failed
     */
    static Measured run(Path output, List<String> command) throws IOException {
        Measured measured = start(output, command).await();
        if (measured.exit() != 0) {
            throw new IOException(command + " failed: " + Files.readString(output, StandardCharsets.UTF_8));
        }
        return measured;
    }

    /** The tailrace that is measured. */
    static String launcher() {
        String launcher = System.getenv("TAILRACE_LAUNCHER");
        return launcher == null ? "./tailrace" : launcher;
    }

    /** The JVM of this process. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Waits for the end and measures until then. */
    Measured await() throws IOException {
        long firstNanos = 0;
        double firstCpu = 0;
        long lastNanos = 0;
        double lastCpu = 0;
        long before = -1;
        long deadline = startNanos + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (process.isAlive()) {
            long written = bytesWritten();
            sample();
            long now = System.nanoTime();
            if (firstNanos == 0 && written >= FIRST_BYTES) {
                firstNanos = now;
                firstCpu = cpuSeconds;
            }
            if (written > before + 4096) {
                before = written;
                lastNanos = now;
                lastCpu = cpuSeconds;
            }
            if (now > deadline) {
                process.destroyForcibly();
                throw new IOException("a process did not end within " + PATIENCE_SECONDS + " s");
            }
            LockSupport.parkNanos(SAMPLE_NANOS);
        }
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        double moved = firstNanos == 0 ? seconds : (lastNanos - firstNanos) / 1e9;
        return new Measured(
                process.exitValue(), seconds, cpuSeconds, moved, Math.max(0, lastCpu - firstCpu), peakMegabytes);
    }

    private void sample() {
        try {
            String stat = Files.readString(proc.resolve("stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            cpuSeconds = (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
            peakMegabytes = Math.max(peakMegabytes, value("status", "VmHWM:") / 1000.0);
        } catch (IOException | RuntimeException e) {
            // it has ended between two looks
        }
    }

    private long bytesWritten() {
        return value("io", "wchar:");
    }

    private long value(String file, String name) {
        try {
            for (String line : Files.readAllLines(proc.resolve(file))) {
                if (line.startsWith(name)) {
                    return Long.parseLong(line.substring(name.length()).strip().split(" ")[0]);
                }
            }
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
        return 0;
    }

    /** CPU time so far of the threads it has now, by the scheduler's count in nanoseconds: fine enough for idleness. */
    double cpuSecondsNow() throws IOException {
        sample();
        long nanos = 0;
        try (var threads = Files.newDirectoryStream(proc.resolve("task"))) {
            for (Path thread : threads) {
                nanos += Long.parseLong(
                        Files.readString(thread.resolve("schedstat")).split(" ")[0]);
            }
        }
        return nanos / 1e9;
    }

    double peakMegabytes() {
        return peakMegabytes;
    }

    double secondsSinceStart() {
        return (System.nanoTime() - startNanos) / 1e9;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM, and the wait for the end. */
    int stop() throws IOException {
        process.destroy();
        return await().exit();
    }
}
