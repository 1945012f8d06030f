package tailrace.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Records;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.core.watch.Framing.Prefix;

/** Records that have their length before them. */
class LengthFramingTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void makeFolders() throws IOException {
        file = Files.createDirectory(folder.resolve("in")).resolve("app.bin");
    }

    private static byte[] framed(Prefix prefix, byte[] record) {
        var out = new ByteArrayOutputStream();
        switch (prefix) {
            case U32_BE ->
                out.writeBytes(ByteBuffer.allocate(4).putInt(record.length).array());
            case U32_LE ->
                out.writeBytes(ByteBuffer.allocate(4)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(record.length)
                        .array());
            case VARINT -> {
                int left = record.length;
                while (left > 0x7F) {
                    out.write((left & 0x7F) | 0x80);
                    left >>>= 7;
                }
                out.write(left);
            }
        }
        out.writeBytes(record);
        return out.toByteArray();
    }

    private List<String> records(Prefix prefix, int maxBytes, byte[] bytes) throws Exception {
        Path sealedFile = Files.write(folder.resolve("sealed.bin"), bytes);
        var records = new ArrayList<String>();
        try (var sealed = new SealedFile(sealedFile, "lane-0", 1)) {
            Records.each(
                    sealed.content(),
                    RecordRules.of(new Framing.Length(prefix), Encoding.LATIN_1),
                    maxBytes,
                    taken -> records.add(taken.offset() + ":" + new String(taken.content(), ISO_8859_1)));
        }
        return records;
    }

    @ParameterizedTest
    @EnumSource
    void recordsComeWithoutTheirLength(Prefix prefix) throws Exception {
        byte[] long200 = "z".repeat(200).getBytes(ISO_8859_1);
        var bytes = new ByteArrayOutputStream();
        var expected = new ArrayList<String>();
        for (byte[] record : List.of("one\n".getBytes(ISO_8859_1), new byte[0], long200, "two".getBytes(ISO_8859_1))) {
            expected.add(bytes.size() + ":" + new String(record, ISO_8859_1));
            bytes.writeBytes(framed(prefix, record));
        }
        assertThat(records(prefix, 1000, bytes.toByteArray())).isEqualTo(expected);
        bytes.writeBytes(framed(prefix, "unfinished".getBytes(ISO_8859_1)));
        int whole = bytes.size();
        expected.add((whole - framed(prefix, "unfinished".getBytes(ISO_8859_1)).length) + ":"
                + new String(Arrays.copyOf(framed(prefix, "unfinished".getBytes(ISO_8859_1)), 5), ISO_8859_1));
        int cut = whole - framed(prefix, "unfinished".getBytes(ISO_8859_1)).length + 5;
        assertThat(records(prefix, 1000, Arrays.copyOf(bytes.toByteArray(), cut)))
                .as("what is unfinished comes as it is")
                .isEqualTo(expected);
    }

    @Test
    void recordsThatAreTooLongComeInParts() throws Exception {
        assertThat(records(Prefix.VARINT, 4, framed(Prefix.VARINT, "0123456789".getBytes(ISO_8859_1))))
                .containsExactly("0:0123", "5:4567", "9:89");
    }

    private RunningEngine start(Prefix prefix, long batchBytes, Duration flushAfter) throws IOException {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(folder.resolve("in") + "/*.bin")
                .toFolder(folder.resolve("out"), "objects")
                .key("data/{batch}")
                .framing(new Framing.Length(prefix))
                .flushPartialAfter(flushAfter)
                .batch(batchBytes, Duration.ofMillis(10))
                .start();
    }

    private List<byte[]> objects() throws IOException {
        try (var files = Files.list(folder.resolve("out/data"))) {
            var contents = new ArrayList<byte[]>();
            for (Path object : files.sorted().toList()) {
                contents.add(Files.readAllBytes(object));
            }
            return contents;
        }
    }

    private static byte[] joined(List<byte[]> parts) {
        var all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }

    /** Whether bytes are whole records and nothing else. */
    private static boolean isWhole(Prefix prefix, byte[] bytes) {
        int at = 0;
        while (at < bytes.length) {
            long end = prefix.read(bytes, at, bytes.length).orElseThrow().endOf(at);
            if (end > bytes.length) {
                return false;
            }
            at = (int) end;
        }
        return true;
    }

    private static byte[] randomRecords(Prefix prefix, SplittableRandom random, int count, int mostBytes) {
        var bytes = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++) {
            byte[] record = new byte[random.nextInt(4) == 0 ? random.nextInt(mostBytes) : random.nextInt(100)];
            random.nextBytes(record);
            bytes.writeBytes(framed(prefix, record));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @EnumSource
    void batchesEndBehindRecordsAndGoOnAfterARestart(Prefix prefix) throws IOException {
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        byte[] all = randomRecords(prefix, random, 2000, 5_000);
        Files.write(file, all);
        try (RunningEngine engine = start(prefix, 30_000, Duration.ofSeconds(60))) {
            engine.awaitDelivered(all.length);
        }
        byte[] more = randomRecords(prefix, random, 300, 400_000); // some are longer than the planner's buffer
        try (RunningEngine engine = start(prefix, 1_000_000, Duration.ofSeconds(60))) {
            for (int at = 0; at < more.length; at += 100_000) {
                Files.write(
                        file,
                        Arrays.copyOfRange(more, at, Math.min(more.length, at + 100_000)),
                        StandardOpenOption.APPEND);
            }
            engine.awaitDelivered(all.length + more.length);
        }
        assertThat(joined(objects())).isEqualTo(joined(List.of(all, more)));
        assertThat(objects()).as("seed %d", seed).hasSizeGreaterThan(20).allMatch(object -> isWhole(prefix, object));
    }

    /** What is half a record when it is sent stays one: the records behind it are found again, also by the next run. */
    @Test
    void whatBeganBeforeIsToldFromWhatBegins() throws IOException {
        var kafkaLike = new ArrayList<String>();
        byte[] first = framed(Prefix.U32_BE, "first".getBytes(ISO_8859_1));
        byte[] halved = framed(Prefix.U32_BE, "halved".getBytes(ISO_8859_1));
        byte[] last = framed(Prefix.U32_BE, "last".getBytes(ISO_8859_1));
        Files.write(file, joined(List.of(first, Arrays.copyOf(halved, 6))));
        try (RunningEngine engine = startRecords(Duration.ofMillis(200))) {
            engine.awaitDelivered(first.length + 6);
        }
        Files.write(
                file, joined(List.of(Arrays.copyOfRange(halved, 6, halved.length), last)), StandardOpenOption.APPEND);
        try (RunningEngine engine = startRecords(Duration.ofSeconds(60))) {
            engine.awaitDelivered(first.length + halved.length + last.length);
        }
        for (byte[] object : objects()) {
            for (String line : new String(object, ISO_8859_1).split("\n")) {
                kafkaLike.add(line.replaceFirst(".*\"body\":", "").replace("}", ""));
            }
        }
        assertThat(kafkaLike)
                .containsExactly("\"first\"", "\"\\u0000\\u0000\\u0000\\u0006ha\"", "\"lved\"", "\"last\"");
    }

    private RunningEngine startRecords(Duration flushAfter) throws IOException {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(folder.resolve("in") + "/*.bin")
                .toFolder(folder.resolve("out"), "objects")
                .key("data/{batch}")
                .framing(new Framing.Length(Prefix.U32_BE))
                .records(RecordRulesTest::inEnvelope)
                .flushPartialAfter(flushAfter)
                .batch(30_000, Duration.ofMillis(10))
                .start();
    }

    /** A text that is taken for lengths: a record that never ends is no reason to wait forever. */
    @Test
    void bytesThatAreNoRecordsAreDeliveredAllTheSame() throws IOException {
        byte[] text = "this is no record, but a text\n".repeat(10_000).getBytes(ISO_8859_1);
        Files.write(file, text);
        try (RunningEngine engine = start(Prefix.U32_BE, 50_000, Duration.ofMillis(200))) {
            engine.awaitDelivered(text.length);
        }
        assertThat(joined(objects())).isEqualTo(text);
    }
}
