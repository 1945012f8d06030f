package tailrace.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.batch.Codec;
import tailrace.core.batch.RecordRules;
import tailrace.core.batch.RecordRules.Filter;
import tailrace.core.batch.RecordRules.Origin;
import tailrace.core.batch.RecordRules.TooLong;
import tailrace.core.manifest.Audit;
import tailrace.core.manifest.FolderArchive;
import tailrace.core.track.Books;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.linux.LinuxKernel;

/** What is done with records on their way: filters, greatest lengths, encodings, envelopes. */
class RecordRulesTest {
    @TempDir
    Path folder;

    private Path log;

    @BeforeEach
    void makeFolders() throws IOException {
        log = Files.createDirectory(folder.resolve("in")).resolve("app.log");
    }

    static RecordRules inEnvelope(RecordRules plain) {
        var origin = new Origin("testhost", "app", Map.of("team", "a"));
        return new RecordRules(
                plain.framing(), plain.encoding(), plain.filter(), 0, TooLong.SPLIT, Optional.of(origin));
    }

    private static UnaryOperator<RecordRules> filter(String include, String exclude) {
        var filter = new Filter(
                Optional.of(include).filter(text -> !text.isEmpty()).map(Pattern::compile),
                Optional.of(exclude).filter(text -> !text.isEmpty()).map(Pattern::compile));
        return plain -> new RecordRules(plain.framing(), plain.encoding(), filter, 0, TooLong.SPLIT, plain.envelope());
    }

    private static UnaryOperator<RecordRules> most(long bytes, TooLong policy) {
        return plain ->
                new RecordRules(plain.framing(), plain.encoding(), plain.filter(), bytes, policy, plain.envelope());
    }

    private RunningEngine.Plan plan(UnaryOperator<RecordRules> rules) {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(folder.resolve("in") + "/*.log*")
                .toFolder(folder.resolve("out"), "objects")
                .key("data/{file}-{batch}")
                .records(rules)
                .flushPartialAfter(Duration.ofSeconds(60))
                .batch(1 << 20, Duration.ofMillis(10));
    }

    private String objects(Charset charset) throws IOException {
        var all = new StringBuilder();
        if (Files.exists(folder.resolve("out/data"))) {
            try (var files = Files.list(folder.resolve("out/data"))) {
                for (Path object : files.sorted().toList()) {
                    all.append(new String(Files.readAllBytes(object), charset));
                }
            }
        }
        return all.toString();
    }

    private static Books settled(RunningEngine engine, long seen) {
        return engine.await(
                        "all is settled",
                        status ->
                                status.books().seen() == seen && status.books().pending() == 0)
                .books();
    }

    private void audit() throws IOException {
        Audit.Result result = new Audit(new FolderArchive(new LinuxKernel(), folder.resolve("out")), true).run();
        assertThat(result.problems()).isEmpty();
        assertThat(result.holdings()).isNotEmpty().allMatch(Audit.Holding::whole);
    }

    @Test
    void whatIsFilteredOutIsAColumnOfTheBooks() throws IOException {
        Files.writeString(log, "INFO one\nDEBUG two\nERROR three\nERROR healthz\n");
        try (RunningEngine engine = plan(filter("INFO|ERROR", "healthz")).start()) {
            Books books = settled(engine, 45);
            assertThat(books).isEqualTo(new Books(45, 21, 0, 0, 24));
            assertThat(books.balance()).isTrue();
        }
        assertThat(objects(UTF_8)).isEqualTo("INFO one\nERROR three\n");
        audit();
        try (RunningEngine engine = plan(filter("INFO|ERROR", "healthz")).start()) {
            assertThat(engine.status().books()).as("after a restart").isEqualTo(new Books(45, 21, 0, 0, 24));
            Files.writeString(log, "DEBUG only\n", StandardOpenOption.APPEND);
            assertThat(settled(engine, 56)).isEqualTo(new Books(56, 21, 0, 0, 35));
        }
        audit(); // an object of nothing is none
    }

    @Test
    void filesThatAreAppendedToAreAsLongAsWhatWasKept() throws IOException {
        Files.writeString(log, "keep 1\nnot 2\nkeep 3\n");
        var rules = filter("", "not");
        for (int run = 0; run < 2; run++) {
            try (RunningEngine engine = plan(rules)
                    .toFolder(folder.resolve("appended"), "append")
                    .key("{source}/{path}")
                    .start()) {
                settled(engine, 20 + run * 20L);
                Files.writeString(log, "not 4\nkeep 5\nkeep 6\n", StandardOpenOption.APPEND);
                settled(engine, 40 + run * 20L);
            }
        }
        assertThat(folder.resolve("appended/app/app.log"))
                .content()
                .isEqualTo("keep 1\nkeep 3\nkeep 5\nkeep 6\nkeep 5\nkeep 6\n");
    }

    @Test
    void recordsOfSeveralLinesShareTheirFate() throws IOException {
        Files.writeString(log, "1 boom\n  at secret\n2 fine\n  at ease\n3 end\n");
        try (RunningEngine engine = plan(filter("", "secret"))
                .framing(new Framing.Multiline(Pattern.compile("^\\d"), true))
                .flushPartialAfter(Duration.ofMillis(100))
                .start()) {
            assertThat(settled(engine, 42).filtered()).isEqualTo(19);
        }
        assertThat(objects(UTF_8)).isEqualTo("2 fine\n  at ease\n3 end\n");
    }

    @Test
    void whatIsTooLongIsTruncatedAndCounted() throws IOException {
        Files.writeString(log, "short\n" + "x".repeat(30) + "\r\nshort again\n");
        try (RunningEngine engine = plan(most(12, TooLong.TRUNCATE)).start()) {
            Books books = settled(engine, 50);
            assertThat(books).isEqualTo(new Books(50, 30, 0, 20, 0));
            assertThat(engine.count(Event.RECORDS_TRUNCATED)).isEqualTo(1);
        }
        assertThat(objects(UTF_8)).isEqualTo("short\nxxxxxxxxxxxx\nshort again\n");
        audit();
    }

    @Test
    void whatIsTooLongIsAnErrorIfThatIsWanted() throws IOException {
        Path letters = folder.resolve("letters");
        Files.writeString(log, "short\n" + "x".repeat(30) + "\n");
        var lines = new ArrayList<String>();
        try (RunningEngine engine = plan(most(12, TooLong.ERROR))
                .deadLetters(letters)
                .listen((event, line) -> lines.add(event + " " + line))
                .start()) {
            engine.await("the letter", status -> status.books().lost() == 37);
        }
        assertThat(lines)
                .anyMatch(line -> line.startsWith("DEAD_LETTERED") && line.contains("offset 6 has more than 12"));
        try (var files = Files.list(letters)) {
            assertThat(files.filter(path -> path.toString().endsWith(".letter")))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter).hasSize(37));
        }
    }

    @Test
    void theEnvelopeSaysWhereARecordComesFrom() throws IOException {
        Files.writeString(log, "say \"hi\"\nsecond\n");
        try (RunningEngine engine = plan(RecordRulesTest::inEnvelope).start()) {
            settled(engine, 16);
        }
        List<String> lines = objects(UTF_8).lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.getFirst())
                .startsWith("{\"host\":\"testhost\",\"source\":\"app\",\"batch\":\"")
                .contains("\"labels\":{\"team\":\"a\"}")
                .endsWith("\"file\":\"" + log + "\",\"offset\":0,\"body\":\"say \\\"hi\\\"\"}");
        assertThat(lines.getLast()).endsWith("\"offset\":9,\"body\":\"second\"}");
        audit();
    }

    @Test
    void containersSayWhenAndWhere() throws IOException {
        Files.writeString(log, """
            2016-10-06T00:17:09.669794202Z stdout P one, \n\
            2016-10-06T00:17:09.669794203Z stderr F oops
            2016-10-06T00:17:09.669794204Z stdout F two
            """);
        try (RunningEngine engine =
                plan(RecordRulesTest::inEnvelope).framing(new Framing.Cri()).start()) {
            engine.awaitDelivered(Files.size(log));
        }
        assertThat(objects(UTF_8).lines().map(line -> line.replaceFirst(".*\"offset\":", "")))
                .containsExactly(
                        "46,\"time\":\"2016-10-06T00:17:09.669794203Z\",\"stream\":\"stderr\",\"body\":\"oops\"}",
                        "0,\"time\":\"2016-10-06T00:17:09.669794202Z\",\"stream\":\"stdout\",\"body\":\"one, two\"}");
    }

    @Test
    void filteredLinesOfContainersStayLinesOfContainers() throws IOException {
        String kept = "2016-10-06T00:17:09.669794202Z stdout P one, \n2016-10-06T00:17:09.669794204Z stdout F two\n";
        Files.writeString(log, kept.replaceFirst("\n", "\n2016-10-06T00:17:09.669794203Z stderr F oops\n"));
        try (RunningEngine engine =
                plan(filter("one, two", "")).framing(new Framing.Cri()).start()) {
            settled(engine, Files.size(log));
        }
        assertThat(objects(UTF_8)).isEqualTo(kept);
    }

    @Test
    void utf16BecomesUtf8WhereTextIsWanted() throws IOException {
        String text = "\uFEFFZürich ਊ 1\r\nzweite ĊĀ\n\n";
        for (Encoding encoding : List.of(Encoding.UTF_16LE, Encoding.UTF_16BE)) {
            Path other = folder.resolve("in/" + encoding + ".log");
            Files.writeString(other, text, encoding.charset());
            try (RunningEngine engine = new RunningEngine.Plan(folder.resolve("state-" + encoding))
                    .include(other.toString())
                    .toFolder(folder.resolve("out-" + encoding), "objects")
                    .key("data")
                    .encoding(encoding)
                    .records(RecordRulesTest::inEnvelope)
                    .flushPartialAfter(Duration.ofSeconds(60))
                    .batch(1 << 20, Duration.ofMillis(10))
                    .start()) {
                engine.awaitDelivered(Files.size(other));
            }
            assertThat(Files.readString(folder.resolve("out-" + encoding + "/data"))
                            .lines()
                            .map(line -> line.replaceFirst(".*\"body\":", "")))
                    .containsExactly("\"Zürich ਊ 1\"}", "\"zweite ĊĀ\"}", "\"\"}");
        }
    }

    /** The bytes 0A 00 and 00 0A are no line ends in the middle of characters. */
    @Test
    void utf16BatchesEndBehindLines() throws IOException {
        String line = "ĊĀ਀ ਊ and so on\n";
        String text = line.repeat(3000);
        for (Charset charset : List.of(UTF_16LE, UTF_16BE)) {
            Path out = folder.resolve("out-" + charset);
            Path other = folder.resolve("in/" + charset + ".log");
            Files.writeString(other, text, charset);
            try (RunningEngine engine = new RunningEngine.Plan(folder.resolve("state-" + charset))
                    .include(other.toString())
                    .toFolder(out, "objects")
                    .key("{batch}")
                    .encoding(charset.equals(UTF_16LE) ? Encoding.UTF_16LE : Encoding.UTF_16BE)
                    .flushPartialAfter(Duration.ofSeconds(60))
                    .batch(10_001, Duration.ofMillis(10))
                    .start()) {
                engine.awaitDelivered(Files.size(other));
            }
            try (var objects = Files.list(out)) {
                assertThat(objects.filter(Files::isRegularFile).toList())
                        .hasSizeGreaterThan(5)
                        .allSatisfy(object -> assertThat(Files.readString(object, charset))
                                .startsWith(line)
                                .endsWith("\n"));
            }
        }
    }

    @Test
    void latin1BecomesUtf8() throws IOException {
        Files.writeString(log, "Zürich\n", ISO_8859_1);
        try (RunningEngine engine =
                plan(RecordRulesTest::inEnvelope).encoding(Encoding.LATIN_1).start()) {
            engine.awaitDelivered(7);
        }
        assertThat(objects(UTF_8)).endsWith("\"body\":\"Zürich\"}\n");
    }

    @Test
    void whatIsCompressedAlreadyPassesAsItIs() throws IOException {
        Files.write(folder.resolve("in/old.log.gz"), new byte[] {31, -117, 10, 10, 10});
        Files.writeString(log, "no\n".repeat(1000) + "yes\n");
        try (RunningEngine engine = plan(filter("yes", ""))
                .compress(Codec.of(Codec.Format.GZIP))
                .flushPartialAfter(Duration.ofMillis(100))
                .start()) {
            assertThat(settled(engine, 3009)).isEqualTo(new Books(3009, 9, 0, 0, 3000));
        }
        try (var objects = Files.list(folder.resolve("out/data"))) {
            assertThat(objects.map(path -> path.getFileName().toString().replaceFirst("log-.*?(\\.gz)?$", "log$1")))
                    .hasSize(2);
        }
        audit();
    }

    @Test
    void aWholeFileIsOneRecordWhenNobodyWritesToItAnyMore() throws IOException {
        String text = "line\n".repeat(10_000);
        try (RunningEngine engine = plan(plain -> plain)
                .framing(new Framing.WholeFile())
                .flushPartialAfter(Duration.ofMillis(200))
                .batch(1000, Duration.ofMillis(10))
                .start()) {
            try (var writer = Files.newBufferedWriter(log)) {
                writer.write(text, 0, 20_000);
                writer.flush();
                engine.await("it is seen", status -> status.books().seen() == 20_000);
                long until = System.nanoTime() + 1_000_000_000L;
                while (System.nanoTime() < until) {
                    assertThat(engine.status().books().delivered()).isZero();
                }
                writer.write(text, 20_000, text.length() - 20_000);
            }
            engine.awaitDelivered(text.length());
        }
        try (var objects = Files.list(folder.resolve("out/data"))) {
            assertThat(objects)
                    .singleElement()
                    .satisfies(object -> assertThat(object).hasContent(text));
        }
    }

    /** What was sealed is sent as it was to be then, whatever the configuration says now. */
    @Test
    void aBatchThatIsSentAgainHasTheSameBytes() throws IOException {
        Files.writeString(log, "one\ntwo\n");
        Path out = Files.writeString(folder.resolve("out"), "not a folder: nothing can be delivered");
        try (RunningEngine engine = plan(filter("one", "")).start()) {
            engine.await(
                    "a failure",
                    status -> engine.count(Event.DELIVERY_FAILED) + engine.count(Event.DELIVERY_REFUSED) > 0);
        }
        Files.delete(out);
        Files.createDirectory(out);
        Files.writeString(log, "one and two\n", StandardOpenOption.APPEND);
        try (RunningEngine engine = plan(filter("two", "")).start()) {
            assertThat(settled(engine, Files.size(log))).isEqualTo(new Books(20, 16, 0, 0, 4));
        }
        assertThat(objects(UTF_8)).isEqualTo("one\none and two\n");
    }

    /** Those who name files have no say in what is done with them. */
    @Test
    void namesThatLookLikeRulesAreNames() throws IOException {
        for (String name : List.of("\u0001GZIP:6\u0001", "\u0002{}\u0002", "\u0002no json\u0002", "\u0001")) {
            Files.writeString(folder.resolve("in/" + name + ".log"), "a line\n");
        }
        try (RunningEngine engine = plan(plain -> plain).key("{file}-{batch}").start()) {
            engine.awaitDelivered(28);
        }
        try (var objects = Files.list(folder.resolve("out"))) {
            assertThat(objects.filter(Files::isRegularFile).toList())
                    .hasSize(4)
                    .allSatisfy(object -> assertThat(object).hasContent("a line\n"));
        }
    }

    /** What is held in memory of a file that is one record is bounded. */
    @Test
    void aGreatRecordComesInParts() throws IOException {
        Files.write(log, "z".repeat(1 << 20).repeat(40).getBytes(UTF_8));
        try (RunningEngine engine = plan(RecordRulesTest::inEnvelope)
                .framing(new Framing.WholeFile())
                .flushPartialAfter(Duration.ofMillis(100))
                .start()) {
            engine.awaitDelivered(40 << 20);
        }
        assertThat(objects(UTF_8).lines().map(line -> line.replaceFirst(".*\"offset\":(\\d+),.*", "$1")))
                .containsExactly("0", "16777216", "33554432");
    }

    @Test
    void whatIsAllFilteredOutIsNotSentToAPeer() throws IOException {
        Files.writeString(log, "DEBUG one\n");
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RunningEngine engine = plan(filter("INFO", ""))
                        .toSink("tcp", Map.of("host", "127.0.0.1", "port", server.getLocalPort(), "framing", "batch"))
                        .start()) {
            assertThat(settled(engine, 10)).isEqualTo(new Books(10, 0, 0, 0, 10));
        }
    }
}
