package tailrace.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A backlog to an S3 server that throws the bytes away, against the SDK's own upload of the same file. */
final class S3Bench {
    private final Bed bed;
    private final Report report;
    private final long bytes;
    private final int rounds;

    S3Bench(Bed bed, Report report, long bytes, int rounds) {
        this.bed = bed;
        this.report = report;
        this.bytes = bytes;
        this.rounds = rounds;
    }

    private record Run(double seconds, Child.Measured measured) {}

    void run() throws IOException {
        Path source = bed.lines("lines-1", 1, bytes);
        long size = Bed.size(source);
        var rates = new ArrayList<Double>();
        var ratios = new ArrayList<Double>();
        var cpu = new ArrayList<Double>();
        double peak = 0;
        try (var server = new NullS3()) {
            for (int i = 0; i < rounds; i++) {
                Run sdk = upload(server, source, sdk(server, Bed.files(source).getFirst()));
                Run ours = upload(server, source, ship(server, source));
                rates.add(size / 1e6 / sdk.seconds);
                ratios.add(sdk.seconds / ours.seconds);
                cpu.add(ours.measured.cpuSeconds() / sdk.measured.cpuSeconds());
                peak = Math.max(peak, ours.measured.peakMegabytes());
                if (server.receivedBytes() < size) {
                    throw new IOException("only " + server.receivedBytes() + " bytes arrived");
                }
            }
        }
        report.title(
                "%d bytes in 1 file -> S3, integrity crc32c; against the SDK's putObject of the file".formatted(size));
        report.line("the SDK's own upload", "%.0f MB/s".formatted(Report.median(rates)));
        report.atLeast("rate, first to last byte, of the SDK's", Report.median(ratios), 0.9, "");
        report.atMost("CPU time of the whole process, of the SDK's", Report.median(cpu), 1, "");
        report.atMost("peak memory", peak, 200, " MB");
    }

    private Run upload(NullS3 server, Path source, List<String> command) throws IOException {
        bed.prepare(source);
        server.reset();
        Child.Measured measured = Child.run(bed.path("output.txt"), command);
        return new Run(server.seconds(), measured);
    }

    private static List<String> sdk(NullS3 server, Path file) {
        return List.of(
                Child.java(),
                "-XX:+UseSerialGC",
                "-cp",
                classPath(),
                SdkUpload.class.getName(),
                server.url(),
                file.toString());
    }

    /** What is on the module path: folders of jars, and jars. */
    private static String classPath() {
        return Stream.of(System.getProperty("jdk.module.path").split(File.pathSeparator))
                .map(entry -> Files.isDirectory(Path.of(entry)) ? entry + "/*" : entry)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private List<String> ship(NullS3 server, Path source) {
        return List.of(
                "env",
                "AWS_ACCESS_KEY_ID=me",
                "AWS_SECRET_ACCESS_KEY=secret",
                Child.launcher(),
                "ship",
                "--include",
                source + "/*.log",
                "--to",
                "s3://bucket",
                "--endpoint",
                server.url(),
                "--state",
                bed.path("state").toString());
    }
}
