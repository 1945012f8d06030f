package tailrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Records;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;

/** Records that are no plain lines: where batches end, and what sinks of records get. */
class FramingTest {
    private static final Framing.Multiline BEGINS = new Framing.Multiline(Pattern.compile("^\\d{4}-"), true);
    private static final Framing.Multiline GOES_ON = new Framing.Multiline(Pattern.compile("^\\s"), false);
    private static final Framing.Cri CRI = new Framing.Cri();

    @TempDir
    Path folder;

    private Path log;

    @BeforeEach
    void makeFolders() throws IOException {
        log = Files.createDirectory(folder.resolve("in")).resolve("app.log");
    }

    private List<String> records(Framing framing, int maxBytes, String text) throws Exception {
        Path file = Files.writeString(folder.resolve("sealed.log"), text);
        var records = new ArrayList<String>();
        try (var sealed = new SealedFile(file, "lane-0", 1)) {
            Records.each(
                    sealed.content(),
                    RecordRules.of(framing, Encoding.UTF_8),
                    maxBytes,
                    taken -> records.add(taken.offset() + ":" + new String(taken.content(), UTF_8)));
        }
        return records;
    }

    @Test
    void linesThatBelongTogetherAreOneRecord() throws Exception {
        String text = "2026-11-21 boom\n  at a\r\n  at b\n2026-11-22 fine\n2026-11-23 half";
        List<String> expected =
                List.of("0:2026-11-21 boom\n  at a\n  at b", "31:2026-11-22 fine", "47:2026-11-23 half");
        assertThat(records(BEGINS, 1000, text)).isEqualTo(expected);
        assertThat(records(GOES_ON, 1000, text)).isEqualTo(expected);
        assertThat(records(BEGINS, 1000, "  no beginning\n2026-1 x\n"))
                .containsExactly("0:  no beginning", "15:2026-1 x");
        assertThat(records(BEGINS, 25, text))
                .as("of at most 25 bytes")
                .containsExactly("0:2026-11-21 boom\n  at a", "24:  at b", "31:2026-11-22 fine", "47:2026-11-23 half");
    }

    @Test
    void partialLinesOfContainersAreJoinedStreamByStream() throws Exception {
        String text = """
            2016-10-06T00:17:09.669794202Z stdout P one, \n\
            2016-10-06T00:17:09.669794203Z stderr F oops
            2016-10-06T00:17:09.669794204Z stdout P two, \n\
            2016-10-06T00:17:09.669794205Z stdout F three
            2016-10-06T00:17:09.669794206Z stdout F
            no line of a container
            2016-10-06T00:17:09.669794207Z stderr P unfinished
            """;
        assertThat(records(CRI, 1000, text).stream().map(record -> record.replaceFirst("^\\d+:", "")))
                .containsExactly("oops", "one, two, three", "", "no line of a container", "unfinished");
        assertThat(records(CRI, 8, text))
                .as("of at most 8 bytes")
                .contains("0:one, ", "91:two, ", "137:three", "223:no line ", "223:of a con", "223:tainer");
    }

    @Test
    void unfinishedLinesOfSeveralStreamsComeInTheOrderOfTheirBeginnings() throws Exception {
        var text = new StringBuilder();
        var expected = new ArrayList<String>();
        for (int i = 0; i < 8; i++) {
            expected.add(text.length() + ":part " + i);
            text.append("2016-10-06T00:17:09.669794202Z ")
                    .append("x".repeat(1 + i * 37 % 11))
                    .append(" P part ")
                    .append(i)
                    .append('\n');
        }
        assertThat(records(CRI, 1000, text.toString())).isEqualTo(expected);
    }

    @Test
    void rawBytesComeInPortions() throws Exception {
        assertThat(records(new Framing.Raw(), 4, "ab\ncdefgh\n")).containsExactly("0:ab\nc", "4:defg", "8:h\n");
    }

    private List<String> objects() throws IOException {
        try (var files = Files.list(folder.resolve("out/data"))) {
            var contents = new ArrayList<String>();
            for (Path file : files.sorted().toList()) {
                contents.add(Files.readString(file));
            }
            return contents;
        }
    }

    private RunningEngine start(Framing framing, long batchBytes, Duration flushAfter) throws IOException {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(folder.resolve("in") + "/*.log")
                .toFolder(folder.resolve("out"), "objects")
                .key("data/{batch}")
                .framing(framing)
                .flushPartialAfter(flushAfter)
                .batch(batchBytes, Duration.ofMillis(10))
                .start();
    }

    /** Records of one line to many, of which some are as long as the planner's buffer. */
    private String multilineText(SplittableRandom random) {
        var text = new StringBuilder();
        for (int i = 0; i < 600; i++) {
            text.append("%04d-".formatted(i))
                    .append("x".repeat(random.nextInt(200)))
                    .append('\n');
            int more = random.nextInt(20) == 0 ? random.nextInt(60) : random.nextInt(3);
            for (int j = 0; j < more; j++) {
                text.append("  at ").append("y".repeat(random.nextInt(400))).append('\n');
            }
        }
        return text.toString();
    }

    @Test
    void batchesEndBehindRecordsOfManyLines() throws IOException {
        String text = multilineText(new SplittableRandom(11));
        Files.writeString(log, text);
        try (RunningEngine engine = start(BEGINS, 40_000, Duration.ofSeconds(60))) {
            int lastRecord = text.lastIndexOf("\n0599-") + 1;
            engine.awaitDelivered(text.substring(0, lastRecord).getBytes(UTF_8).length);
            assertThat(engine.status().books().pending())
                    .as("the last may go on")
                    .isPositive();
            Files.writeString(log, "0600-\n", StandardOpenOption.APPEND);
            engine.awaitDelivered(text.length());
            assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        }
        List<String> objects = objects();
        assertThat(String.join("", objects)).isEqualTo(text + "0600-\n");
        assertThat(objects).hasSizeGreaterThan(3).allMatch(object -> object.matches("(?s)\\d{4}-.*\n"));
    }

    @Test
    void theLastRecordIsDeliveredWhenNothingComes() throws IOException {
        Files.writeString(log, "2026-11-21 boom\n  at a\n");
        try (RunningEngine engine = start(BEGINS, 40_000, Duration.ofMillis(300))) {
            engine.awaitDelivered(23);
        }
    }

    @Test
    void batchesDoNotEndWithinALineOfAContainer() throws IOException {
        var random = new SplittableRandom(12);
        var text = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            boolean isLast = i == 2999 || random.nextInt(3) > 0;
            text.append("2016-10-06T00:17:09.669794202Z stdout ")
                    .append(isLast ? "F " : "P ")
                    .append("z".repeat(random.nextInt(100)))
                    .append('\n');
        }
        Files.writeString(log, text);
        try (RunningEngine engine = start(CRI, 30_000, Duration.ofSeconds(60))) {
            engine.awaitDelivered(text.length());
        }
        List<String> objects = objects();
        assertThat(String.join("", objects)).isEqualTo(text.toString());
        assertThat(objects).hasSizeGreaterThan(3).allMatch(object -> object.matches("(?s).*stdout F z*\n"));
    }

    @Test
    void rawFilesAreDeliveredAsTheyGrow() throws IOException {
        Files.writeString(log, "no end");
        try (RunningEngine engine = start(new Framing.Raw(), 40_000, Duration.ofSeconds(60))) {
            engine.awaitDelivered(6);
            Files.writeString(log, " of a line", StandardOpenOption.APPEND);
            engine.awaitDelivered(16);
        }
    }
}
