package tailrace.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.manifest.Archive;
import tailrace.core.watch.Framing;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;
import tailrace.testkit.KafkaCluster;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.RunningEngine;
import tailrace.testkit.SealedFile;

/** Against a real broker, which is killed, and behind connections that break. */
class KafkaSinkTest {
    private static final int LINE_BYTES = 100;

    /** Transactions that nobody ends are ended by the broker, one timeout after the other. */
    private static final Duration AFTER_A_CRASH = Duration.ofMinutes(2);

    private static final int FAULTY_CONNECTIONS = 15;

    @TempDir
    static Path serverFolder;

    private static KafkaCluster cluster;

    /** One before each broker, by which alone it is found. */
    private static final List<FaultProxy> PROXIES = new ArrayList<>();

    private static final AtomicInteger CONNECTIONS = new AtomicInteger();
    private static volatile IntFunction<Fault> faults = n -> new Fault.None();

    @TempDir
    Path folder;

    private Path in;
    private String topic;

    @BeforeAll
    static void startCluster() throws IOException {
        cluster = new KafkaCluster(
                serverFolder,
                System.getProperty("java.class.path"),
                3,
                "PLAINTEXT",
                port -> {
                    var proxy = new FaultProxy(port, n -> faults.apply(CONNECTIONS.getAndIncrement()));
                    PROXIES.add(proxy);
                    return proxy.port();
                },
                List.of());
    }

    @AfterAll
    static void stopCluster() throws IOException {
        cluster.close();
        for (FaultProxy proxy : PROXIES) {
            proxy.close();
        }
    }

    private static String brokers() {
        return PROXIES.stream().map(proxy -> "127.0.0.1:" + proxy.port()).collect(Collectors.joining(","));
    }

    @BeforeEach
    void makeTopic(TestInfo test) throws Exception {
        in = Files.createDirectory(folder.resolve("in"));
        faults = n -> new Fault.None();
        topic = test.getTestMethod().orElseThrow().getName();
        try (Admin admin = Admin.create(properties())) {
            admin.createTopics(List.of(new NewTopic(topic, Optional.of(2), Optional.empty())))
                    .all()
                    .get();
        }
    }

    private static Properties properties() {
        var properties = new Properties();
        properties.put("bootstrap.servers", brokers());
        return properties;
    }

    private Map<String, Object> settings(Map<String, Object> more) {
        var settings = new HashMap<String, Object>(Map.of(
                "brokers",
                brokers(),
                "topic",
                topic,
                "linger",
                Duration.ofMillis(1),
                "max_record",
                900L << 10,
                "request_bytes",
                64L << 10,
                "timeout",
                Duration.ofSeconds(10)));
        settings.putAll(more);
        return settings;
    }

    private RunningEngine.Plan plan(Map<String, Object> more) {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/*.log")
                .toSink("kafka", settings(more))
                .batch(16 << 10, Duration.ofMillis(20));
    }

    private static List<ConsumerRecord<byte[], byte[]>> committed(String topic) {
        return Committed.records(properties(), topic);
    }

    private void assertArrivedOnce(Map<String, Long> written) {
        var checker = new LineChecker();
        for (ConsumerRecord<byte[], byte[]> record : committed(topic)) {
            checker.accept(record.value());
        }
        long lines = written.values().stream().mapToLong(n -> n).sum();
        assertThat(checker.tally(written)).isEqualTo(new LineChecker.Tally(lines, lines, 0, 0, 0));
    }

    private long write(String name, int lines) throws IOException {
        try (var writer = new LineWriter(name, LINE_BYTES, in.resolve(name + ".log"))) {
            writer.write(lines);
        }
        return (long) lines * LINE_BYTES;
    }

    @Test
    void everyLineIsARecordThatSaysWhereItComesFrom() throws IOException {
        Path file = in.resolve("app.log");
        Files.writeString(file, "one\ntwo\r\n\n" + "x".repeat(2500) + "\nüñí\n");
        try (RunningEngine engine = plan(Map.of("max_record", 1000L)).start()) {
            engine.awaitDelivered(Files.size(file));
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        var texts = new ArrayList<String>();
        byte[] original = Files.readAllBytes(file);
        for (ConsumerRecord<byte[], byte[]> record : committed(topic)) {
            texts.add(new String(record.value(), UTF_8));
            assertThat(new String(record.key(), UTF_8)).isEqualTo("testhost" + file);
            assertThat(new String(record.headers().lastHeader("file").value(), UTF_8))
                    .isEqualTo(file.toString());
            int offset =
                    (int) ByteBuffer.wrap(record.headers().lastHeader("offset").value())
                            .getLong();
            assertThat(java.util.Arrays.copyOfRange(original, offset, offset + record.value().length))
                    .isEqualTo(record.value());
        }
        assertThat(texts).containsExactly("one", "two", "", "x".repeat(1000), "x".repeat(1000), "x".repeat(500), "üñí");
    }

    @Test
    void aRecordMayBeTheLineAlone() throws IOException {
        write("app0", 100);
        try (RunningEngine engine =
                plan(Map.of("headers", false, "record_key", "")).start()) {
            engine.awaitDelivered(100L * LINE_BYTES);
        }
        assertThat(committed(topic)).hasSize(100).allSatisfy(record -> {
            assertThat(record.key()).isNull();
            assertThat(record.headers()).isEmpty();
        });
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    @Test
    void recordsOfContainersSayMoreAndFilteredOnesAreCounted() throws IOException {
        Path pod = Files.createDirectories(in.resolve("pods/shop_cart-7d9_0a1b-2c/app"))
                .resolve("3.log");
        Files.writeString(pod, """
            2016-10-06T00:17:09.669794202Z stdout P bought \n\
            2016-10-06T00:17:09.669794203Z stderr F debug
            2016-10-06T00:17:09.669794204Z stdout F twice
            """);
        var filter = new RecordRules.Filter(Optional.empty(), Optional.of(Pattern.compile("debug")));
        try (RunningEngine engine = plan(Map.of())
                .include(in + "/pods/**/*.log")
                .framing(new Framing.Cri())
                .labels(Map.of("team", "data", "file", "of the label"))
                .records(plain -> new RecordRules(
                        plain.framing(),
                        plain.encoding(),
                        filter,
                        0,
                        RecordRules.TooLong.SPLIT,
                        Optional.of(new RecordRules.Origin("testhost", "app", Map.of()))))
                .start()) {
            engine.await("the filtered line", status -> status.books().filtered() == 46);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(engine.finalStatus().books().balance()).isTrue();
        }
        assertThat(committed(topic)).singleElement().satisfies(record -> {
            assertThat(new String(record.value(), UTF_8))
                    .startsWith("{\"host\":\"testhost\"")
                    .endsWith("\"stream\":\"stdout\",\"body\":\"bought twice\"}");
            assertThat(header(record, "time")).isEqualTo("2016-10-06T00:17:09.669794202Z");
            assertThat(header(record, "stream")).isEqualTo("stdout");
            assertThat(header(record, "team")).isEqualTo("data");
            assertThat(header(record, "file")).isEqualTo(pod.toString());
            assertThat(header(record, "k8s.pod.name")).isEqualTo("cart-7d9");
        });
    }

    @Test
    void connectionsThatBreakLoseAndDoubleNothing() throws IOException {
        int before = CONNECTIONS.get();
        List<Fault> troubles = List.of(
                new Fault.Reset(400),
                new Fault.LostAnswers(1200),
                new Fault.Delay(300),
                new Fault.LostAnswers(2500),
                new Fault.Reset(40_000),
                new Fault.SlowLoris(2000),
                new Fault.LostAnswers(5000),
                new Fault.Reset(3000));
        faults = n -> n < before + FAULTY_CONNECTIONS ? troubles.get(n % troubles.size()) : new Fault.None();
        long bytes = write("app0", 700) + write("app1", 700) + write("app2", 700);
        try (RunningEngine engine =
                plan(Map.of("timeout", Duration.ofSeconds(3))).start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
            assertThat(engine.count(Event.SINK_BUG)).isZero();
            System.out.println((CONNECTIONS.get() - before) + " connections, " + engine.count(Event.DELIVERY_FAILED)
                    + " deliveries failed");
        }
        assertThat(CONNECTIONS.get() - before).isGreaterThan(FAULTY_CONNECTIONS);
        assertArrivedOnce(Map.of("app0", 700L, "app1", 700L, "app2", 700L));
    }

    @Test
    void brokersAndAgentsThatAreKilledLoseAndDoubleNothing() throws IOException {
        long bytes = 0;
        int kills = 0;
        var written = new HashMap<String, Long>();
        for (int round = 0; round < 4; round++) {
            try (RunningEngine engine =
                    plan(Map.of("timeout", Duration.ofSeconds(5))).start()) {

                bytes += write("round" + round, 5000);
                written.put("round" + round, 5000L);
                long some = bytes - 400_000;
                engine.await(
                        "some of it", AFTER_A_CRASH, status -> status.books().delivered() > some);
                if (round > 0) {
                    cluster.kill(round % 3);
                    kills++;
                    cluster.start(round % 3);
                }
                if (round == 3) {
                    long all = bytes;
                    engine.await(
                            "all of it",
                            status -> status.books().pending() == 0
                                    && status.books().delivered() >= all);
                }
            } // ends without a drain: what is on its way is cut off
        }
        System.out.println(kills + " kills of the broker, 4 ends of the agent");
        assertArrivedOnce(written);
    }

    /** A sink that does not know how its last transaction ended finds it in the progress topic. */
    @Test
    void aBatchWhoseEndWasNotHeardOfIsNotSentAgain() throws Exception {
        write("app", 100);
        for (int process = 0; process < 3; process++) {
            try (Sink sink = sink();
                    var file = new SealedFile(in.resolve("app.log"), "lane-0", 1)) {
                sink.deliver(file.batch(), 0, file.content());
                sink.deliver(file.batch(), 0, file.content());
            }
        }
        assertThat(committed(topic)).hasSize(100);
    }

    private Sink sink() {
        var context = new SinkProvider.Context(
                new LinuxKernel(), new EventLog((event, line) -> {}), "testhost", "7e57ab1e", Integrity.CRC32C);
        var provider = new KafkaSinkProvider();
        return provider.open(RunningEngine.values(provider, settings(Map.of())), context);
    }

    /** Lines for which one record has no room are in several, of which each ends with a line. */
    @Test
    void aFinalManifestIsInTheProgressTopic() throws Exception {
        LinuxPath key = Archive.finalManifestKey("testhost", "files", "1");
        String lines = IntStream.range(0, 30_000)
                .mapToObj("{\"file\":\"/var/log/pods/shop_order/app-%d.log\"}\n"::formatted)
                .collect(Collectors.joining());
        try (Sink sink = sink()) {
            assertThat(sink.putFinalManifest(key, lines.getBytes(UTF_8))).isTrue();
            assertThat(sink.putFinalManifest(key, lines.getBytes(UTF_8)))
                    .as("again")
                    .isTrue();
        }
        var parts = new TreeMap<String, String>();
        for (ConsumerRecord<byte[], byte[]> record : committed("_tailrace_progress")) {
            if (new String(record.key(), UTF_8).startsWith(key.toString())) {
                parts.put(new String(record.key(), UTF_8), new String(record.value(), UTF_8));
            }
        }
        assertThat(parts).containsOnlyKeys(key.toString(), key + ".1", key + ".2");
        assertThat(parts.values()).allMatch(part -> part.endsWith("\n"));
        assertThat(String.join("", parts.values())).isEqualTo(lines);
    }

    /** What is not sent yet when the agent must end is listed in the cluster, if nothing else should come. */
    @Test
    void anAgentThatMustEndTellsWhatIsPending() throws Exception {
        long bytes = write("app", 100);
        try (RunningEngine engine =
                plan(Map.of()).batch(1 << 20, Duration.ofMinutes(10)).start()) {
            engine.await("the file", status -> status.books().seen() == bytes);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(engine.count(Event.FINAL_MANIFEST)).isEqualTo(1);
        }
        assertThat(committed(topic)).hasSize(100);
        assertThat(committed("_tailrace_progress")).anySatisfy(record -> {
            assertThat(new String(record.key(), UTF_8)).startsWith(Archive.FINAL_MANIFESTS);
            assertThat(new String(record.value(), UTF_8)).contains(in + "/app.log");
        });
    }

    @Test
    void aZombieIsFenced() throws Exception {
        long bytes = write("app", 100);
        String lane;
        try (RunningEngine engine = plan(Map.of()).start()) {
            engine.awaitDelivered(bytes);
            lane = committed("_tailrace_progress").stream()
                    .map(record -> new String(record.key(), UTF_8))
                    .filter(key -> key.contains(engine.status().ledger()))
                    .findFirst()
                    .orElseThrow();
        }
        Properties properties = properties();
        properties.put("transactional.id", lane);
        properties.put("key.serializer", ByteArraySerializer.class.getName());
        properties.put("value.serializer", ByteArraySerializer.class.getName());
        try (var zombie = new KafkaProducer<byte[], byte[]>(properties)) {
            zombie.initTransactions();
            zombie.beginTransaction();
            zombie.send(new ProducerRecord<>(topic, "of a zombie".getBytes(UTF_8)))
                    .get();
            write("app", 100);
            try (RunningEngine engine = plan(Map.of()).start()) {
                engine.awaitDelivered(2 * bytes);
            }
            assertThatThrownBy(() -> {
                        zombie.send(new ProducerRecord<>(topic, "again".getBytes(UTF_8)))
                                .get();
                        zombie.commitTransaction();
                    })
                    .satisfiesAnyOf(
                            e -> assertThat(e).isInstanceOf(ProducerFencedException.class),
                            e -> assertThat(e)
                                    .isInstanceOf(ExecutionException.class)
                                    .rootCause()
                                    .hasMessageContaining("epoch"));
        }
        assertThat(committed(topic))
                .hasSize(200)
                .noneMatch(record -> new String(record.value(), UTF_8).contains("zombie"));
    }
}
