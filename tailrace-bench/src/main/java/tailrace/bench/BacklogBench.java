package tailrace.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Locale;

/** A backlog into a folder, against cp of the same files. */
final class BacklogBench {
    private final Bed bed;
    private final Report report;
    private final long bytes;
    private final int rounds;

    BacklogBench(Bed bed, Report report, long bytes, int rounds) {
        this.bed = bed;
        this.report = report;
        this.bytes = bytes;
        this.rounds = rounds;
    }

    void run(int files) throws IOException {
        Path source = bed.lines("lines-" + files, files, bytes);
        long size = Bed.size(source);
        copy(source, false); // the pages of its output are what the first round copies into
        measure(source, size, files, "none", "crc32c");
        measure(source, size, files, "none", "length");
        measure(source, size, files, "fsync", "crc32c");
    }

    private void measure(Path source, long size, int files, String durability, String integrity) throws IOException {
        boolean durable = durability.equals("fsync");
        var rate = new ArrayList<Double>();
        var cpu = new ArrayList<Double>();
        var rss = new ArrayList<Double>();
        var copyRates = new ArrayList<Double>();
        var wholes = new ArrayList<Double>();
        for (int i = 0; i < rounds; i++) {
            boolean shipFirst = i % 2 == 1; // neither always follows the other
            Child.Measured early = shipFirst ? ship(source, size, durability, integrity) : null;
            Child.Measured copy = copy(source, durable);
            Child.Measured ship = early != null ? early : ship(source, size, durability, integrity);
            rate.add(copy.moveSeconds() / ship.moveSeconds());
            cpu.add(ship.moveCpuSeconds() / Math.max(0.01, copy.cpuSeconds()));
            rss.add(ship.peakMegabytes());
            copyRates.add(size / 1e6 / copy.moveSeconds());
            wholes.add(ship.seconds());
        }
        report.title("%d bytes in %d files -> file sink, durability %s, integrity %s; against cp%s"
                .formatted(size, files, durability, integrity, durable ? " and sync -d" : ""));
        report.line("cp", "%.0f MB/s".formatted(Report.median(copyRates)));
        report.atLeast("rate, first to last byte, of cp's", Report.median(rate), 0.8, "");
        if (!durable) {
            report.atMost("CPU seconds, first to last byte, of cp's", Report.median(cpu), 1.5, "");
        }
        report.atMost("peak RSS", Report.median(rss), 120, " MB");
        report.line("whole process, with the start of the JVM", "%.2f s".formatted(Report.median(wholes)));
    }

    private Child.Measured copy(Path source, boolean durable) throws IOException {
        bed.prepare(source);
        String command = "cp -r '" + source + "' '" + bed.path("copy") + "'"
                + (durable ? " && sync -d '" + bed.path("copy") + "'/*" : "");
        long start = System.nanoTime();
        Process shell = new ProcessBuilder("bash", "-c", "TIMEFORMAT='%R %U %S'; time (" + command + ")")
                .redirectErrorStream(true)
                .start();
        String output = new String(shell.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        String[] times = output.strip().split("\\s+");
        double real = Double.parseDouble(times[0]);
        double spent = Double.parseDouble(times[1]) + Double.parseDouble(times[2]);
        return new Child.Measured(0, (System.nanoTime() - start) / 1e9, spent, real, spent, 0);
    }

    private Child.Measured ship(Path source, long size, String durability, String integrity) throws IOException {
        Child.Measured measured = bed.shipObjects(source, "--durability", durability, "--integrity", integrity)
                .await();
        long delivered = bed.objectBytes();
        if (measured.exit() != 0 || delivered != size) {
            throw new IOException("ship ended with %d and delivered %d of %d bytes"
                    .formatted(measured.exit(), delivered, size)
                    .toLowerCase(Locale.ROOT));
        }
        return measured;
    }
}
