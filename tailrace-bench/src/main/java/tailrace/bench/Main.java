package tailrace.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code tailrace bench}: the figures that the product promises, measured here and now. */
public final class Main {
    private static final String HELP = """
        Usage: tailrace bench [--megabytes N] [--rounds N] [--folder DIR] [--keep] [NAME...]
        Measures tailrace against cp and a sendfile loop on this machine, in one run, and prints ratios of medians.
        Names: backlog compress tcp s3 kafka drain latency idle small; by default all. It needs three times N of free space in DIR.

          --megabytes N   size of the backlog (2000)
          --rounds N      how often each comparison is repeated (3)
          --folder DIR    where to work; by default a temporary folder, deleted at the end
          --keep          leave the folder

        Exit status: 0 every target is met, 1 one is missed (on a shared machine, try again before you believe it)
        """;

    private Main() {}

    public static void main(String... arguments) throws IOException {
        var left = new java.util.ArrayList<>(List.of(arguments));
        if (left.contains("--help") || left.contains("-h")) {
            System.out.print(HELP);
            return;
        }
        long bytes = Long.parseLong(option(left, "--megabytes", "2000")) * 1_000_000;
        int rounds = Integer.parseInt(option(left, "--rounds", "3"));
        String folder = option(left, "--folder", "");
        boolean keep = left.remove("--keep");
        if (left.isEmpty()) {
            left.addAll(List.of("backlog", "compress", "tcp", "s3", "kafka", "drain", "latency", "idle", "small"));
        }
        Path base = folder.isEmpty()
                ? Files.createTempDirectory("tailrace-bench-")
                : Path.of(folder).toAbsolutePath();
        var bed = new Bed(base);
        var report = new Report();
        for (String name : left) {
            run(name, bed, report, bytes, rounds);
        }
        if (!keep && folder.isEmpty()) {
            bed.delete("");
        }
        System.out.println();
        System.out.println(report.missed() == 0 ? "every target is met" : report.missed() + " targets are missed");
        System.exit(report.missed() == 0 ? 0 : 1);
    }

    private static void run(String name, Bed bed, Report report, long bytes, int rounds) throws IOException {
        switch (name) {
            case "backlog" -> {
                var backlog = new BacklogBench(bed, report, bytes, rounds);
                backlog.run(1);
                backlog.run(100);
            }
            case "compress" -> {
                var compress = new CompressBench(bed, report, bytes, rounds);
                compress.run("zstd");
                compress.run("gzip");
            }
            case "tcp" -> {
                var tcp = new TcpBench(bed, report, bytes, rounds);
                tcp.run(1, "crc32c");
                tcp.run(1, "length");
                tcp.run(100, "length");
            }
            case "s3" -> new S3Bench(bed, report, bytes, rounds).run();
            case "kafka" -> new KafkaBench(bed, report, bytes / 2, rounds).run();
            case "drain" -> new DrainBench(bed, report, bytes, rounds).run();
            case "latency" -> {
                var latency = new LatencyBench(bed, report);
                latency.run("fsync");
                latency.run("none");
            }
            case "idle" -> new SmallFilesBench(bed, report).idle(10_000);
            case "small" -> new SmallFilesBench(bed, report).backlog(100_000);
            default -> {
                System.err.println("there is no benchmark '" + name + "'");
                System.err.print(HELP);
                System.exit(2);
            }
        }
    }

    private static String option(List<String> arguments, String name, String otherwise) {
        int at = arguments.indexOf(name);
        if (at < 0) {
            return otherwise;
        }
        arguments.remove(at);
        return arguments.remove(at);
    }
}
