package tailrace.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.Sink;
import tailrace.core.manifest.Archive;
import tailrace.core.manifest.Audit;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.core.watch.Framing;
import tailrace.linux.LinuxPath;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.RunningEngine;
import tailrace.testkit.Sinks;

/**
 * What a sink that is an object store must do, against a real server: every line once, whatever the network does. A
 * subclass starts the server and looks into it by a way of its own.
 */
public abstract class ObjectStoreContract {
    protected static final int LINE_BYTES = 100;
    protected static final long MIB = 1 << 20;

    @TempDir
    protected Path folder;

    protected Path in;
    protected String prefix;

    @SuppressWarnings("NullAway.Init") // before each test
    protected ObjectStoreContract() {}

    /** The sink's. */
    protected abstract String type();

    /** Where the server listens on the loopback interface. */
    protected abstract int port();

    /** Of a sink whose server, or a proxy before it, listens at a port; without its prefix. */
    protected abstract Map<String, Object> settings(int port);

    /** All objects whose keys begin so, by key. */
    protected abstract Map<String, byte[]> objects(String beginning) throws IOException;

    /** Makes an object as somebody else would. */
    protected abstract void put(String key, byte[] content) throws IOException;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        prefix = folder.getFileName().toString();
    }

    private Map<String, Object> settingsWithPrefix(int port, Map<String, Object> more) {
        var all = new HashMap<>(settings(port));
        all.put("prefix", prefix);
        all.putAll(more);
        return all;
    }

    protected final RunningEngine.Plan plan(int port, Map<String, Object> more) {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/*.log")
                .toSink(type(), settingsWithPrefix(port, more))
                .batch(64 << 10, Duration.ofMillis(50));
    }

    protected final long write(String name, int lines) throws IOException {
        try (var writer = new LineWriter(name, LINE_BYTES, in.resolve(name + ".log"))) {
            writer.write(lines);
        }
        return (long) lines * LINE_BYTES;
    }

    /** A file of so many bytes that nothing compresses. */
    protected final byte[] writeRandom(int length) throws IOException {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        content[length - 1] = '\n';
        Files.write(in.resolve("big.log"), content);
        return content;
    }

    protected final Map<String, byte[]> data() throws IOException {
        var data = objects(prefix + "/");
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

    private List<ManifestEntry> manifests() throws IOException {
        var entries = new ArrayList<ManifestEntry>();
        objects(prefix + "/_tailrace/manifests/")
                .values()
                .forEach(line -> entries.add(ManifestCodec.fromLine(new String(line, UTF_8))));
        return entries;
    }

    /** Told before a byte of it is read, and no other file waits for it. */
    @Test
    void aFileThatNoObjectCanHoldIsNamed() throws IOException {
        long huge = 6L << 40;
        try (var file =
                FileChannel.open(in.resolve("huge.log"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {'\n'}), huge - 1); // with a hole before it
        }
        long small = write("small", 100);
        var said = new CopyOnWriteArrayList<String>();
        try (RunningEngine engine = plan(port(), Map.of())
                .key("{stem}-{batch}")
                .framing(new Framing.WholeFile())
                .flushPartialAfter(Duration.ofMillis(100))
                .listen((event, line) -> {
                    if (event == Event.DELIVERY_REFUSED) {
                        said.add(line);
                    }
                })
                .start()) {
            engine.await("a refusal", status -> !said.isEmpty());
            engine.awaitDelivered(small);
            assertThat(engine.status().books().pending()).isEqualTo(huge);
        }
        assertThat(said.getFirst())
                .contains("would have " + huge + " bytes, and no object there can have more than")
                .contains("part_bytes");
    }

    @Test
    void everyLineArrivesOnceAndManifestsSayWhere() throws IOException {
        long bytes = write("one", 5000) + write("two", 3000);
        try (RunningEngine engine = plan(port(), Map.of()).start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(engine.finalStatus().books().lost()).isZero();
        }
        assertThat(arrived(Map.of("one", 5000L, "two", 3000L))).isEqualTo(new LineChecker.Tally(8000, 8000, 0, 0, 0));
        Map<String, byte[]> data = data();
        List<ManifestEntry> manifests = manifests();
        assertThat(manifests).hasSameSizeAs(data.keySet());
        for (ManifestEntry entry : manifests) {
            byte[] object = data.getOrDefault(prefix + "/" + entry.key(), new byte[0]);
            assertThat(object).hasSize((int) entry.lengthBytes());
            assertThat(entry.crc32c()).isEqualTo(OptionalInt.of(crc32c(object)));
        }
    }

    private static int crc32c(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    @Test
    void aBigBatchTravelsInParts() throws IOException {
        byte[] content = writeRandom((int) (23 * MIB + 12345));
        try (RunningEngine engine = plan(port(), Map.of("part_bytes", 5 * MIB))
                .batch(64 * MIB, Duration.ofMillis(50))
                .start()) {
            engine.awaitDelivered(content.length);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(data().values()).containsExactly(content);
    }

    @Test
    void aBigBatchSurvivesBrokenConnections() throws IOException {
        byte[] content = writeRandom((int) (20 * MIB));
        try (var proxy = new FaultProxy(
                        port(),
                        n -> n >= 3 && n < 9
                                ? n % 2 == 0 ? new Fault.Reset(1_000_000) : new Fault.LostAnswer()
                                : new Fault.None());
                RunningEngine engine = plan(proxy.port(), Map.of("part_bytes", 5 * MIB))
                        .batch(64 * MIB, Duration.ofMillis(50))
                        .start()) {
            engine.awaitDelivered(content.length);
            assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
            assertThat(engine.count(Event.DELIVERY_FAILED)).isPositive();
            assertThat(engine.count(Event.SINK_BUG)).isZero();
        }
        assertThat(data().values()).containsExactly(content);
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
        try (var proxy = new FaultProxy(port(), n -> n < 60 ? faults.get(n % faults.size()) : new Fault.None());
                RunningEngine engine = plan(proxy.port(), Map.of("timeout", Duration.ofSeconds(5)))
                        .batch(16 << 10, Duration.ofMillis(50))
                        .start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
            assertThat(engine.count(Event.DELIVERY_FAILED)).isGreaterThan(3);
            assertThat(engine.count(Event.SINK_BUG)).isZero();
            System.out.println(type() + ": " + proxy.connections() + " connections, "
                    + engine.count(Event.DELIVERY_FAILED) + " deliveries failed and were tried again");
        }
        assertThat(arrived(Map.of("one", 5000L))).isEqualTo(new LineChecker.Tally(5000, 5000, 0, 0, 0));
        assertThat(manifests()).hasSameSizeAs(data().keySet());
    }

    @Test
    void anObjectOfSomebodyElseUnderTheKeyIsNotOverwritten() throws IOException {
        put(prefix + "/taken-1", "mine".getBytes(UTF_8));
        write("one", 10);
        try (RunningEngine engine = plan(port(), Map.of()).key("taken-1").start()) {
            engine.await("a refusal", status -> engine.count(Event.DELIVERY_REFUSED) > 0);
            assertThat(engine.status().books().pending()).isEqualTo(10 * LINE_BYTES);
        }
        assertThat(objects(prefix + "/taken-1").values()).containsExactly("mine".getBytes(UTF_8));
    }

    @Test
    void namesThatNeedEscapingAreKeys() throws IOException {
        long bytes = write("a b+c%d#e?f&g=ä", 10);
        try (RunningEngine engine = plan(port(), Map.of()).key("{file}/{batch}").start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(data().keySet())
                .singleElement()
                .satisfies(key -> assertThat(key).startsWith(prefix + "/a b+c%d#e?f&g=ä.log/"));
        assertThat(audit().problems()).isEmpty();
    }

    private Sink sink() {
        return Sinks.open(type(), settingsWithPrefix(port(), Map.of()));
    }

    private Audit.Result audit() throws IOException {
        try (Sink sink = sink();
                Archive archive = sink.archive().orElseThrow()) {
            return new Audit(archive, true).run();
        }
    }

    @Test
    void auditsReadWhatIsThereAndMissWhatIsNot() throws Exception {
        long bytes = write("one", 5000);
        try (RunningEngine engine = plan(port(), Map.of()).start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        Audit.Result proven = audit();
        assertThat(proven.problems()).isEmpty();
        assertThat(proven.checkedBytes()).isEqualTo(bytes);
        String line = """
            {"v":1,"host":"h","source":"files","at":"2026-11-21T00:00:00Z","file":"/gone.log","identity":"x","epoch":0,\
            "from":5,"to":9}
            """;
        try (Sink sink = sink()) {
            LinuxPath key = Archive.finalManifestKey("h", "files", "1");
            assertThat(sink.putFinalManifest(key, line.getBytes(UTF_8))).isTrue();
            assertThat(sink.putFinalManifest(key, line.getBytes(UTF_8)))
                    .as("again")
                    .isTrue();
            try (Archive archive = sink.archive().orElseThrow()) {
                assertThat(archive.lengthOf(LinuxPath.of("there/is/none"))).isEmpty();
            }
        }
        assertThat(audit().problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem)
                        .contains("/gone.log")
                        .contains("[5, 9) was pending when h was told to stop"));
    }

    @Test
    void doctorCreatesAndIsRefused() {
        try (Sink sink = sink()) {
            for (int i = 0; i < 2; i++) {
                assertThat(sink.check())
                        .hasSizeGreaterThanOrEqualTo(2)
                        .allSatisfy(finding ->
                                assertThat(finding.grade()).as(finding.text()).isEqualTo(Finding.Grade.OK));
            }
        }
    }
}
