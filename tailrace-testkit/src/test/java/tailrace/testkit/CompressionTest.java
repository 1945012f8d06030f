package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tailrace.core.batch.Codec;
import tailrace.core.manifest.Audit;
import tailrace.core.manifest.FolderArchive;
import tailrace.linux.LinuxKernel;

/** What is compressed is read by tools that nobody here wrote. */
class CompressionTest {
    private static final int LINE_BYTES = 100;
    private static final String OBJECT_MAGIC_ZSTD = "28b52ffd";

    @TempDir
    Path folder;

    private Path in;
    private Path out;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        out = Files.createDirectory(folder.resolve("out"));
    }

    private RunningEngine.Plan plan(Codec codec) {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/*")
                .batch(3 << 20, Duration.ofMillis(50))
                .compress(codec)
                .toFolder(out, "objects");
    }

    private List<Path> objects() throws IOException {
        try (var all = Files.walk(out)) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> !file.toString().contains("/_tailrace/"))
                    .sorted()
                    .toList();
        }
    }

    private static byte[] unpacked(Path object) throws IOException {
        if (object.toString().endsWith(".gz")) {
            try (var gzip = new GZIPInputStream(Files.newInputStream(object))) {
                return gzip.readAllBytes();
            }
        }
        Optional<Tool> zstd = Tool.find("zstd", "zstd");
        assumeThat(zstd).as("zstd can be had").isPresent();
        Path plain = Path.of(object + ".plain");
        zstd.orElseThrow().runQuietly("-q", "-d", object.toString(), "-o", plain.toString());
        byte[] bytes = Files.readAllBytes(plain);
        Files.delete(plain);
        return bytes;
    }

    private void assertProven() throws IOException {
        try (var archive = new FolderArchive(new LinuxKernel(), out)) {
            assertThat(new Audit(archive, true).run().problems()).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0}, level {1}")
    @CsvSource({"GZIP, 6", "GZIP, 1", "ZSTD, 3", "ZSTD, 9"})
    void everyLineArrivesOnceAndTheAuditProvesIt(Codec.Format format, int level) throws IOException {
        int lines = 70_000;
        try (RunningEngine engine = plan(Codec.of(format, level)).start();
                var writer = new LineWriter("app", LINE_BYTES, in.resolve("app.log"))) {
            writer.write(lines);
            engine.awaitDelivered((long) lines * LINE_BYTES);
        }
        var checker = new LineChecker();
        long bytes = 0;
        for (Path object : objects()) {
            assertThat(object.toString()).endsWith(".log" + format.extension());
            byte[] plain = unpacked(object);
            assertThat(plain[plain.length - 1]).isEqualTo((byte) '\n');
            checker.read(new ByteArrayInputStream(plain));
            bytes += Files.size(object);
        }
        assertThat(checker.tally(Map.of("app", (long) lines))).isEqualTo(new LineChecker.Tally(lines, lines, 0, 0, 0));
        assertThat(bytes).isPositive().isLessThan((long) lines * LINE_BYTES / 3);
        assertProven();
    }

    /** Each frame is an object of its own, if one cuts there, and holds whole lines. */
    @Test
    void framesCanBeReadAlone() throws IOException {
        int lines = 25_000;
        try (RunningEngine engine = plan(Codec.of(Codec.Format.GZIP)).start();
                var writer = new LineWriter("app", LINE_BYTES, in.resolve("app.log"))) {
            writer.write(lines);
            engine.awaitDelivered((long) lines * LINE_BYTES);
        }
        var members = 0;
        for (Path object : objects()) {
            byte[] bytes = Files.readAllBytes(object);
            for (int at = 0; at >= 0; members++) {
                int next = indexOf(bytes, new byte[] {0x1F, (byte) 0x8B, 8, 0, 0, 0, 0, 0, 0, (byte) 0xFF}, at + 1);
                int end = next < 0 ? bytes.length : next;
                try (var gzip = new GZIPInputStream(new ByteArrayInputStream(bytes, at, end - at))) {
                    byte[] plain = gzip.readAllBytes();
                    assertThat(plain.length % LINE_BYTES).isZero();
                }
                at = next;
            }
        }
        assertThat(members).isGreaterThan(2);
    }

    private static int indexOf(byte[] bytes, byte[] wanted, int from) {
        for (int i = from; i <= bytes.length - wanted.length; i++) {
            if (java.util.Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
                return i;
            }
        }
        return -1;
    }

    @Test
    void whatIsCompressedAlreadyIsPassedAsItIs() throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write("an old line\n".repeat(1000).getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        Files.write(in.resolve("app.log.2.gz"), packed.toByteArray());
        Files.writeString(in.resolve("app.log"), "a new line\n".repeat(1000));
        long all = packed.size() + Files.size(in.resolve("app.log"));
        try (RunningEngine engine = plan(Codec.of(Codec.Format.ZSTD)).start()) {
            engine.awaitDelivered(all - packed.size());
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        List<Path> objects = objects();
        assertThat(objects).hasSize(2);
        for (Path object : objects) {
            byte[] bytes = Files.readAllBytes(object);
            if (object.toString().endsWith(".zst")) {
                assertThat(java.util.HexFormat.of().formatHex(bytes, 0, 4)).isEqualTo(OBJECT_MAGIC_ZSTD);
            } else {
                assertThat(bytes).isEqualTo(packed.toByteArray());
            }
        }
        assertProven();
    }

    /** The seal fixes the codec: a batch that was sealed with another one keeps it. */
    @Test
    void aBatchThatIsSentAgainIsCompressedAsItWasSealed() throws IOException {
        Path file = in.resolve("app.log");
        Files.writeString(file, "a line\n".repeat(1000));
        Files.delete(out);
        Files.writeString(out, "not a folder: nothing can be delivered");
        try (RunningEngine engine = plan(Codec.of(Codec.Format.GZIP)).start()) {
            engine.await(
                    "a failure",
                    status -> engine.count(tailrace.core.Event.DELIVERY_FAILED)
                                    + engine.count(tailrace.core.Event.DELIVERY_REFUSED)
                            > 0);
        }
        Files.delete(out);
        Files.createDirectory(out);
        try (RunningEngine engine = plan(Codec.of(Codec.Format.ZSTD)).start()) {
            engine.awaitDelivered(Files.size(file));
        }
        assertThat(objects()).singleElement().asString().endsWith(".gz");
        assertThat(unpacked(objects().getFirst())).isEqualTo(Files.readAllBytes(file));
    }
}
