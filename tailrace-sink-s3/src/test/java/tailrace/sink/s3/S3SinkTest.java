package tailrace.sink.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.RunningEngine;

/** Against a real server, over real connections: every line once, whatever the network does. */
class S3SinkTest {
    private static final int LINE_BYTES = 100;
    private static final long MIB = 1 << 20;

    @TempDir
    static Path servers;

    private static S3Server server;

    @TempDir
    Path folder;

    private Path in;
    private String prefix;

    @BeforeAll
    static void startServer() throws IOException {
        server = new S3Server(servers);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        prefix = folder.getFileName().toString();
    }

    private RunningEngine.Plan plan(int port, Map<String, Object> more) {
        var settings = new HashMap<>(S3Server.settings(port));
        settings.put("prefix", prefix);
        settings.putAll(more);
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/*.log")
                .toSink("s3", settings)
                .batch(64 << 10, Duration.ofMillis(50));
    }

    private long write(String name, int lines) throws IOException {
        try (var writer = new LineWriter(name, LINE_BYTES, in.resolve(name + ".log"))) {
            writer.write(lines);
        }
        return (long) lines * LINE_BYTES;
    }

    private Map<String, byte[]> data() {
        var data = server.objects(prefix + "/");
        data.keySet().removeIf(key -> key.contains("_tailrace/"));
        return data;
    }

    private LineChecker.Tally arrived(Map<String, Long> written) throws IOException {
        var checker = new LineChecker();
        for (byte[] object : data().values()) {
            checker.read(new ByteArrayInputStream(object));
        }
        return checker.tally(written);
    }

    private List<ManifestEntry> manifests() {
        var entries = new ArrayList<ManifestEntry>();
        server.objects(prefix + "/_tailrace/manifests/")
                .values()
                .forEach(line -> entries.add(ManifestCodec.fromLine(new String(line, StandardCharsets.UTF_8))));
        return entries;
    }

    @Test
    void everyLineArrivesOnceAndManifestsSayWhere() throws IOException {
        long bytes = write("one", 5000) + write("two", 3000);
        try (RunningEngine engine = plan(server.port(), Map.of()).start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(engine.finalStatus().books().lost()).isZero();
        }
        assertThat(arrived(Map.of("one", 5000L, "two", 3000L))).isEqualTo(new LineChecker.Tally(8000, 8000, 0, 0, 0));
        Map<String, byte[]> data = data();
        List<ManifestEntry> manifests = manifests();
        assertThat(manifests).hasSameSizeAs(data.keySet());
        for (ManifestEntry entry : manifests) {
            assertThat(data.get(prefix + "/" + entry.key())).hasSize((int) entry.lengthBytes());
            assertThat(entry.crc32c()).isPresent();
        }
    }

    @Test
    void aBigBatchTravelsInParts() throws IOException {
        byte[] content = new byte[(int) (23 * MIB + 12345)];
        new Random(7).nextBytes(content);
        content[content.length - 1] = '\n';
        Files.write(in.resolve("big.log"), content);
        try (RunningEngine engine = plan(server.port(), Map.of("part_bytes", 5 * MIB))
                .batch(64 * MIB, Duration.ofMillis(50))
                .start()) {
            engine.awaitDelivered(content.length);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        Map<String, byte[]> data = data();
        assertThat(data).hasSize(1);
        assertThat(data.values().iterator().next()).isEqualTo(content);
        assertThat(server.client()
                        .headObject(r -> r.bucket(S3Server.BUCKET)
                                .key(data.keySet().iterator().next()))
                        .eTag())
                .as("five parts")
                .contains("-5");
    }

    @Test
    void whatTheNetworkDoesLosesAndDoublesNothing() throws IOException {
        List<Fault> faults = List.of(
                new Fault.None(),
                new Fault.Delay(300),
                new Fault.Reset(0),
                new Fault.Reset(700),
                new Fault.Reset(9_000),
                new Fault.LostAnswer(),
                new Fault.Answer(500, ""),
                new Fault.None(),
                new Fault.LostAnswer(),
                new Fault.Answer(503, "Retry-After: 1\r\n"),
                new Fault.Answer(429, ""),
                new Fault.SlowLoris(2000));
        long bytes = write("one", 5000);
        try (var proxy = new FaultProxy(server.port(), n -> n < 60 ? faults.get(n % faults.size()) : new Fault.None());
                RunningEngine engine = plan(proxy.port(), Map.of("timeout", Duration.ofSeconds(5)))
                        .batch(16 << 10, Duration.ofMillis(50))
                        .start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
            assertThat(engine.count(Event.DELIVERY_FAILED)).isGreaterThan(3);
            assertThat(engine.count(Event.SINK_BUG)).isZero();
            System.out.println(proxy.connections() + " connections, " + engine.count(Event.DELIVERY_FAILED)
                    + " deliveries failed and were tried again");
        }
        assertThat(arrived(Map.of("one", 5000L))).isEqualTo(new LineChecker.Tally(5000, 5000, 0, 0, 0));
        assertThat(manifests()).hasSameSizeAs(data().keySet());
    }

    @Test
    void partsThatArrivedAreNotSentAgain() throws IOException {
        byte[] content = new byte[(int) (20 * MIB)];
        new Random(8).nextBytes(content);
        content[content.length - 1] = '\n';
        Files.write(in.resolve("big.log"), content);
        try (var proxy = new FaultProxy(
                        server.port(),
                        n -> n < 4 ? new Fault.None() : n < 8 ? new Fault.Reset(1000) : new Fault.None());
                RunningEngine engine = plan(proxy.port(), Map.of("part_bytes", 5 * MIB, "part_concurrency", 1))
                        .batch(64 * MIB, Duration.ofMillis(50))
                        .start()) {
            engine.awaitDelivered(content.length);
            assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
            assertThat(engine.count(Event.DELIVERY_FAILED)).isPositive();
        }
        assertThat(data().values()).containsExactly(content);
        assertThat(server.client()
                        .listMultipartUploads(r -> r.bucket(S3Server.BUCKET))
                        .uploads())
                .as("uploads left behind")
                .isEmpty();
    }

    @Test
    void anObjectOfSomebodyElseUnderTheKeyIsNotOverwritten() throws IOException {
        server.client()
                .putObject(
                        r -> r.bucket(S3Server.BUCKET).key(prefix + "/taken-1"),
                        software.amazon.awssdk.core.sync.RequestBody.fromString("mine"));
        write("one", 10);
        try (RunningEngine engine = plan(server.port(), Map.of()).key("taken-1").start()) {
            engine.await("a refusal", status -> engine.count(Event.DELIVERY_REFUSED) > 0);
            assertThat(engine.status().books().pending()).isEqualTo(10 * LINE_BYTES);
        }
        assertThat(new String(server.objects(prefix + "/taken-1").get(prefix + "/taken-1"), StandardCharsets.UTF_8))
                .isEqualTo("mine");
    }

    @Test
    void whatAnObjectIsLikeIsSaid() throws IOException {
        write("one", 10);
        try (RunningEngine engine = plan(
                        server.port(), Map.of("storage_class", "STANDARD_IA", "tags", List.of("team=data", "kind=a-b")))
                .start()) {
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        String key = data().keySet().iterator().next();
        var head = server.client().headObject(r -> r.bucket(S3Server.BUCKET).key(key));
        assertThat(head.storageClassAsString()).isEqualTo("STANDARD_IA");
        assertThat(head.metadata()).containsKey("tailrace-batch");
        var tags = server.client()
                .getObjectTagging(r -> r.bucket(S3Server.BUCKET).key(key))
                .tagSet();
        assertThat(tags)
                .extracting(tag -> tag.key() + "=" + tag.value())
                .containsExactlyInAnyOrder("team=data", "kind=a-b");
    }
}
