package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.RunningEngine;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** {@code format: json} and {@code ndjson}. */
class RecordFormatsTest {
    @TempDir
    Path folder;

    private Path in;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
    }

    private List<String> bodiesOf(Map<String, Object> settings, String member) throws IOException {
        var values = new ArrayList<String>();
        try (var server = new HttpServerForTests(null, false)) {
            var all = new HashMap<String, Object>(Map.of("url", "http://127.0.0.1:" + server.port() + "/logs"));
            all.putAll(settings);
            try (RunningEngine engine = new RunningEngine.Plan(folder.resolve("state"))
                    .include(in + "/*.log")
                    .toSink("http", all)
                    .labels(Map.of("team", "data"))
                    .batch(1 << 20, Duration.ofMillis(20))
                    .start()) {
                assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            }
            for (HttpServerForTests.Taken request : server.taken().values()) {
                values.addAll(values(new String(request.body(), UTF_8), member));
            }
        }
        return values;
    }

    /** All values of a member, however deep; fails if the text is no JSON. */
    private static List<String> values(String text, String member) {
        var values = new ArrayList<String>();
        try (JsonParser json = new JsonFactory().createParser(ObjectReadContext.empty(), text)) {
            for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
                if (token == JsonToken.PROPERTY_NAME && json.currentName().equals(member)) {
                    json.nextToken();
                    values.add(json.getString());
                }
            }
        }
        return values;
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "ndjson"})
    void everyLineArrivesOnceInRequestsOfLimitedSize(String format) throws IOException {
        try (var writer = new LineWriter("app", 100, in.resolve("app.log"))) {
            writer.write(2000);
        }
        List<String> bodies = bodiesOf(Map.of("format", format, "request_bytes", 30_000L), "body");
        var checker = new LineChecker();
        checker.read(new ByteArrayInputStream((String.join("\n", bodies) + "\n").getBytes(UTF_8)));
        assertThat(checker.tally(Map.of("app", 2000L))).isEqualTo(new LineChecker.Tally(2000, 2000, 0, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "ndjson"})
    void aRecordHasItsFileAndOffset(String format) throws IOException {
        Files.writeString(in.resolve("a.log"), "one \"quoted\"\nzwei ü\n");
        assertThat(bodiesOf(Map.of("format", format), "offset")).containsExactly("0", "13");
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "ndjson"})
    void aRecordHasTheLabelsOfItsSource(String format) throws IOException {
        Files.writeString(in.resolve("a.log"), "one\n");
        assertThat(bodiesOf(Map.of("format", format), "team")).containsExactly("data");
    }

    @Test
    void whatIsNoTextComesAsSuch() throws IOException {
        Files.write(in.resolve("a.log"), new byte[] {'a', (byte) 0xFF, '\t', 1, '\n'});
        assertThat(bodiesOf(Map.of("format", "json"), "body")).containsExactly("a\ufffd\t\u0001");
    }
}
