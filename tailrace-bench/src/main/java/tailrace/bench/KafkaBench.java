package tailrace.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import tailrace.testkit.KafkaCluster;

/** A backlog to a Kafka broker on this machine, against Kafka's own kafka-producer-perf-test with the same settings. */
final class KafkaBench {
    private static final int SAMPLE_LINES = 10_000;

    private final Bed bed;
    private final Report report;
    private final long bytes;
    private final int rounds;
    private final Path home;

    KafkaBench(Bed bed, Report report, long bytes, int rounds) {
        this.bed = bed;
        this.report = report;
        this.bytes = bytes;
        this.rounds = rounds;
        this.home = Path.of(Child.launcher()).toAbsolutePath().resolveSibling("");
    }

    void run() throws IOException {
        Path source = bed.lines("lines-1", 1, bytes);
        long size = Bed.size(source);
        Path file = Bed.files(source).getFirst();
        Path values = sample(file);
        long lines;
        try (var all = Files.lines(file)) {
            lines = all.count();
        }
        String jars = jars();
        var rates = new ArrayList<Double>();
        var ratios = new ArrayList<Double>();
        var cpu = new ArrayList<Double>();
        var fullRatios = new ArrayList<Double>();
        var fullCpu = new ArrayList<Double>();
        double peak = 0;
        for (int i = 0; i < rounds; i++) {
            Child.Measured own = measure(source, jars, port -> perfTest(jars, port, values, lines));
            Child.Measured ours = measure(source, jars, port -> ship(port, "headers=false", "record_key="));
            Child.Measured full = measure(source, jars, this::ship);
            rates.add(size / 1e6 / own.moveSeconds());
            ratios.add(own.moveSeconds() / ours.moveSeconds());
            cpu.add(ours.cpuSeconds() / own.cpuSeconds());
            fullRatios.add(own.moveSeconds() / full.moveSeconds());
            fullCpu.add(full.cpuSeconds() / own.cpuSeconds());
            peak = Math.max(peak, Math.max(ours.peakMegabytes(), full.peakMegabytes()));
        }
        report.title("%d bytes in %d lines of 1 file -> Kafka; against kafka-producer-perf-test, as transactional"
                .formatted(size, lines));
        report.line("kafka-producer-perf-test", "%.0f MB/s".formatted(Report.median(rates)));
        report.atLeast("rate of records as its own, without key and headers", Report.median(ratios), 0.9, "");
        report.line("CPU time of the whole process, of its", "%.2f".formatted(Report.median(cpu)));
        report.line("rate with a key and two headers", "%.2f".formatted(Report.median(fullRatios)));
        report.line("CPU time with a key and two headers", "%.2f".formatted(Report.median(fullCpu)));
        report.atMost("peak memory", peak, 200, " MB");
    }

    /** What sends everything to a broker that listens at a port. */
    private interface Sender {
        List<String> command(int port);
    }

    /** Each begins with a broker of its own, whose log is empty. */
    private Child.Measured measure(Path source, String jars, Sender sender) throws IOException {
        bed.delete("kafka");
        bed.prepare(source);
        try (var broker = new KafkaCluster(
                bed.path("kafka"), jars, 1, "PLAINTEXT", port -> port, List.of("log.retention.ms=-1"))) {
            run(List.of(
                    Child.java(),
                    "-cp",
                    jars,
                    "org.apache.kafka.tools.TopicCommand",
                    "--bootstrap-server",
                    "127.0.0.1:" + broker.port(),
                    "--create",
                    "--topic",
                    "lines",
                    "--partitions",
                    "2"));
            return run(sender.command(broker.port()));
        } finally {
            bed.delete("kafka");
        }
    }

    private Child.Measured run(List<String> command) throws IOException {
        return Child.run(bed.path("output.txt"), command);
    }

    /** With the options of the JVM and of the producer that its script and our sink have. */
    private static List<String> perfTest(String jars, int port, Path sample, long lines) {
        return List.of(
                Child.java(),
                "-Xmx512m",
                "-XX:+UseG1GC",
                "-cp",
                jars,
                "org.apache.kafka.tools.ProducerPerformance",
                "--topic",
                "lines",
                "--num-records",
                Long.toString(lines),
                "--payload-file",
                sample.toString(),
                "--throughput",
                "-1",
                "--transactional-id",
                "perf",
                "--transaction-duration-ms",
                "500",
                "--producer-props",
                "bootstrap.servers=127.0.0.1:" + port,
                "acks=all",
                "compression.type=lz4",
                "linger.ms=5",
                "batch.size=262144");
    }

    private List<String> ship(int port, String... settings) {
        var command = new ArrayList<>(List.of(
                Child.launcher(),
                "ship",
                "--include",
                bed.path("lines-1") + "/*.log",
                "--to",
                "kafka://127.0.0.1:" + port + "/lines",
                "--state",
                bed.path("state").toString()));
        for (String setting : settings) {
            command.addAll(List.of("--set", setting));
        }
        return command;
    }

    /** Some of the lines, of which the other takes one at random each time. */
    private Path sample(Path file) throws IOException {
        Path sample = bed.path("values.txt");
        try (var lines = Files.lines(file)) {
            Files.write(sample, lines.limit(SAMPLE_LINES).toList());
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return sample;
    }

    /** Kafka's, which the build does not need. */
    private String jars() throws IOException {
        Path jars = home.resolve("build/kafka/target/lib");
        if (!Files.exists(jars)) {
            System.out.println("getting Kafka, by mvn -f build/kafka/pom.xml process-resources");
            run(List.of(
                    "mvn", "-q", "-B", "-f", home.resolve("build/kafka/pom.xml").toString(), "process-resources"));
        }
        return jars + "/*";
    }
}
