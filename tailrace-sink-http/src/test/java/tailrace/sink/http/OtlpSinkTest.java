package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.watch.Framing;
import tailrace.testkit.AnsweringServer;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.OtelCollector;
import tailrace.testkit.RunningEngine;
import tailrace.testkit.Sinks;

/** Against OpenTelemetry's own collector. */
class OtlpSinkTest {
    private static final int LINE_BYTES = 100;

    @TempDir
    static Path servers;

    private static OtelCollector collector;

    @TempDir
    Path folder;

    @BeforeAll
    static void startCollector() throws IOException {
        collector = new OtelCollector(servers);
    }

    @AfterAll
    static void stopCollector() {
        collector.close();
    }

    private Path in(String name) throws IOException {
        return Files.createDirectories(folder.resolve("in")).resolve(name);
    }

    private RunningEngine start(int port, Map<String, Object> more) throws IOException {
        var settings = new HashMap<String, Object>(Map.of("url", "http://127.0.0.1:" + port));
        settings.putAll(more);
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(folder.resolve("in") + "/*.log")
                .toSink("otlp", settings)
                .batch(64 << 10, Duration.ofMillis(20))
                .start();
    }

    private static LineChecker.Tally arrived(String name, long lines) throws IOException {
        var text = new StringBuilder();
        collector.bodies().stream()
                .filter(body -> body.startsWith(name + " "))
                .forEach(body -> text.append(body).append('\n'));
        var checker = new LineChecker();
        checker.read(new ByteArrayInputStream(text.toString().getBytes(UTF_8)));
        return checker.tally(Map.of(name, lines));
    }

    private void write(String name, int lines) throws IOException {
        try (var writer = new LineWriter(name, LINE_BYTES, in(name + ".log"))) {
            writer.write(lines);
        }
    }

    @Test
    void everyLineIsALogRecordWithItsFileAndOffset() throws IOException {
        write("plain", 2000);
        Files.write(in("odd.log"), "ümläut\r\n\nno utf-8: \u00ff\nan end".getBytes(ISO_8859_1));
        Files.writeString(in("utf.log"), "grüße\n");
        try (RunningEngine engine = start(collector.port(), Map.of())) {
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(engine.count(Event.DELIVERY_REFUSED)).isZero();
        }
        assertThat(arrived("plain", 2000)).isEqualTo(new LineChecker.Tally(2000, 2000, 0, 0, 0));
        assertThat(collector.bodies()).contains("grüße", "an end", "");
        assertThat(collector.printed())
                .contains("log.file.path: Str(" + in("plain.log") + ")")
                .contains("log.file.offset: Int(199900)")
                .contains("host.name: Str(testhost)")
                .contains("service.name: Str(app)")
                .contains("Body: Bytes(");
    }

    @Test
    void containersAreKnownByTheirPaths() throws IOException {
        Path pods = Files.createDirectories(folder.resolve("pods/shop_cart-7d9_0a1b-2c/app"));
        Files.writeString(pods.resolve("3.log"), "2016-10-06T00:17:09.669794202Z stdout F bought\n");
        try (RunningEngine engine = new RunningEngine.Plan(folder.resolve("state"))
                .include(folder + "/pods/**/*.log")
                .framing(new Framing.Cri())
                .labels(Map.of("deployment.environment.name", "prod"))
                .toSink("otlp", Map.of("url", "http://127.0.0.1:" + collector.port()))
                .start()) {
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(collector.bodies()).contains("bought");
        assertThat(collector.printed())
                .contains("k8s.namespace.name: Str(shop)")
                .contains("k8s.pod.name: Str(cart-7d9)")
                .contains("k8s.pod.uid: Str(0a1b-2c)")
                .contains("k8s.container.name: Str(app)")
                .contains("k8s.container.restart_count: Str(3)")
                .contains("deployment.environment.name: Str(prod)")
                .contains("log.iostream: Str(stdout)")
                .contains("Timestamp: 2016-10-06 00:17:09.669794202 +0000 UTC");
    }

    @Test
    void requestsAreOfLimitedSizeAndCompressed() throws IOException {
        write("zipped", 3000);
        try (var proxy = new FaultProxy(collector.port(), n -> new Fault.None());
                RunningEngine engine =
                        start(proxy.port(), Map.of("content_encoding", "gzip", "request_bytes", 10_000L))) {
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(proxy.connections()).isGreaterThan(30);
        }
        assertThat(arrived("zipped", 3000)).isEqualTo(new LineChecker.Tally(3000, 3000, 0, 0, 0));
    }

    @Test
    void whatTheNetworkDoesLosesNothing() throws IOException {
        List<Fault> faults = List.of(
                new Fault.None(),
                new Fault.Reset(700),
                new Fault.Answer(503, "Retry-After: 1\r\n"),
                new Fault.Reset(9000),
                new Fault.Answer(429, ""),
                new Fault.SlowLoris(1000));
        write("faulty", 3000);
        try (var proxy = new FaultProxy(
                        collector.port(), n -> n < 30 ? faults.get(n % faults.size()) : new Fault.None());
                RunningEngine engine = start(proxy.port(), Map.of("request_bytes", 20_000L))) {
            engine.awaitDelivered(3000 * LINE_BYTES);
            assertThat(engine.count(Event.DELIVERY_FAILED)).isGreaterThan(3);
            assertThat(engine.count(Event.SINK_BUG)).isZero();
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(arrived("faulty", 3000))
                .as("none of these faults loses an answer, so nothing comes twice either")
                .isEqualTo(new LineChecker.Tally(3000, 3000, 0, 0, 0));
    }

    @Test
    void aLostAnswerMayDoubleItsRequestAndNoOther() throws IOException {
        write("lost", 1000);
        try (var proxy = new FaultProxy(collector.port(), n -> n == 2 ? new Fault.LostAnswer() : new Fault.None());
                RunningEngine engine = start(proxy.port(), Map.of("request_bytes", 5_000L))) {
            engine.awaitDelivered(1000 * LINE_BYTES);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        LineChecker.Tally tally = arrived("lost", 1000);
        assertThat(tally.lost()).isZero();
        assertThat(tally.duplicated()).isBetween(1L, 60L);
    }

    @Test
    void recordsThatAreRejectedStayPendingAndAreNamed() throws IOException {
        // partial_success {rejected_log_records: 7, error_message: "too old"}
        String answer = "\n\u000b\b\u0007\u0012\u0007too old";
        try (var server = AnsweringServer.http(200, answer, "Content-Type: application/x-protobuf\r\n")) {
            assertThat(Sinks.complaint(folder, "otlp", Map.of("url", server.url()), Event.DELIVERY_REFUSED))
                    .contains("rejects 7 records: too old");
        }
    }

    @Test
    void aReceiverThatIsNoneIsNamed() throws IOException {
        try (var server = AnsweringServer.http(404, "no such page")) {
            assertThat(Sinks.complaint(folder, "otlp", Map.of("url", server.url()), Event.DELIVERY_REFUSED))
                    .contains("/v1/logs answered 404: no such page")
                    .contains("Correct the sink's url");
        }
    }
}
