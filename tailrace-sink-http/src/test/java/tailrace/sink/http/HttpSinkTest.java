package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tailrace.core.Event;
import tailrace.testkit.Certificates;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.RunningEngine;

class HttpSinkTest {
    private static final int LINE_BYTES = 100;

    @TempDir
    Path folder;

    private Path in;
    private Certificates certificates;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        certificates = new Certificates(folder);
    }

    private RunningEngine.Plan plan(String url, Map<String, Object> more) {
        var settings = new HashMap<String, Object>(Map.of("url", url));
        settings.putAll(more);
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/*.log")
                .toSink("http", settings)
                .batch(16 << 10, Duration.ofMillis(20));
    }

    private long write(int lines) throws IOException {
        try (var writer = new LineWriter("app", LINE_BYTES, in.resolve("app.log"))) {
            writer.write(lines);
        }
        return (long) lines * LINE_BYTES;
    }

    private static void assertTakenOnce(HttpServerForTests server, long lines) throws IOException {
        var checker = new LineChecker();
        for (HttpServerForTests.Taken batch : server.taken().values()) {
            checker.read(new ByteArrayInputStream(batch.body()));
        }
        assertThat(checker.tally(Map.of("app", lines))).isEqualTo(new LineChecker.Tally(lines, lines, 0, 0, 0));
    }

    @Test
    void eachBatchIsARequestThatSaysWhatItIs() throws IOException {
        long bytes = write(1000);
        try (var server = new HttpServerForTests(null, false)) {
            try (RunningEngine engine = plan(
                            "http://127.0.0.1:" + server.port() + "/logs",
                            Map.of("bearer_token", "t0ken", "headers", List.of("X-Team: data")))
                    .start()) {
                engine.awaitDelivered(bytes);
                assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            }
            assertTakenOnce(server, 1000);
            server.taken().forEach((key, batch) -> {
                var crc = new CRC32C();
                crc.update(batch.body());
                assertThat(batch.headers())
                        .containsEntry("idempotency-key", key)
                        .containsEntry("authorization", "Bearer t0ken")
                        .containsEntry("x-team", "data")
                        .containsEntry("tailrace-file", in.resolve("app.log").toString())
                        .containsEntry("content-length", Integer.toString(batch.body().length))
                        .containsEntry("tailrace-crc32c", "%08x".formatted((int) crc.getValue()));
                assertThat(batch.headers().get("tailrace-range")).matches("0:\\d+-\\d+");
            });
        }
    }

    @Test
    void whatTheNetworkDoesLosesNothingAndRepetitionsBearTheirKeys() throws IOException {
        List<Fault> faults = List.of(
                new Fault.None(),
                new Fault.Delay(200),
                new Fault.Reset(0),
                new Fault.Reset(300),
                new Fault.Reset(9000),
                new Fault.LostAnswer(),
                new Fault.Answer(500, ""),
                new Fault.LostAnswer(),
                new Fault.Answer(503, "Retry-After: 1\r\n"),
                new Fault.Answer(429, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
                new Fault.SlowLoris(1500));
        long bytes = write(3000);
        try (var server = new HttpServerForTests(null, false);
                var proxy =
                        new FaultProxy(server.port(), n -> n < 44 ? faults.get(n % faults.size()) : new Fault.None())) {
            try (RunningEngine engine = plan(
                            "http://127.0.0.1:" + proxy.port() + "/logs", Map.of("timeout", Duration.ofSeconds(5)))
                    .start()) {
                engine.awaitDelivered(bytes);
                assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
                assertThat(engine.count(Event.DELIVERY_FAILED)).isGreaterThan(3);
                assertThat(engine.count(Event.SINK_BUG)).isZero();
                System.out.println(proxy.connections() + " connections, " + engine.count(Event.DELIVERY_FAILED)
                        + " deliveries failed, " + server.repetitions() + " batches came again");
            }
            assertTakenOnce(server, 3000);
            assertThat(server.repetitions()).isPositive();
        }
    }

    private String complaint(String url, Map<String, Object> more, Event event) throws IOException {
        write(10);
        List<String> said = new CopyOnWriteArrayList<>();
        try (RunningEngine engine = plan(url, more)
                .listen((e, line) -> {
                    if (e == event) {
                        said.add(line);
                    }
                })
                .start()) {
            engine.await("a complaint", status -> !said.isEmpty());
            assertThat(engine.status().books().pending()).isEqualTo(Files.size(in.resolve("app.log")));
            assertThat(engine.count(Event.SINK_BUG)).isZero();
        }
        return said.getFirst();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "400, does not want this batch",
        "401, Correct the sink's bearer_token",
        "403, Correct the sink's bearer_token",
        "404, Correct the sink's url",
        "413, batch.bytes",
        "415, content_type",
        "301, It redirects to http://elsewhere/",
    })
    void whatTheServerRefusesIsExplained(int status, String advice) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] body = "because\nof this".getBytes(UTF_8);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("Location", "http://elsewhere/");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            assertThat(complaint(
                            "http://127.0.0.1:" + server.getAddress().getPort() + "/x",
                            Map.of(),
                            Event.DELIVERY_REFUSED))
                    .contains("answered " + status + ": because of this")
                    .contains(advice);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void serversThatCannotBeReachedAreNamedWithTheReason() throws IOException {
        int port;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertThat(complaint("http://127.0.0.1:" + port + "/logs", Map.of(), Event.DELIVERY_FAILED))
                .contains("the connection is refused. Is the server running");
        assertThat(complaint("http://no-such-host.invalid/logs", Map.of(), Event.DELIVERY_FAILED))
                .contains("cannot be resolved");
    }

    @Test
    void bothSidesShowTheirCertificates() throws IOException, GeneralSecurityException {
        Path serverKeys = certificates.keyStore("server", "-ext", "san=ip:127.0.0.1");
        Path ownKeys = certificates.keyStore("agent");
        certificates.writeKey("agent");
        long bytes = write(100);
        try (var server = new HttpServerForTests(Certificates.context(serverKeys, ownKeys), true);
                RunningEngine engine = plan(
                                "https://127.0.0.1:" + server.port() + "/logs",
                                Map.of(
                                        "ca_file", folder.resolve("server.pem").toString(),
                                        "certificate_file",
                                                folder.resolve("agent.pem").toString(),
                                        "key_file", folder.resolve("agent.key").toString()))
                        .start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertTakenOnce(server, 100);
        }
    }

    @Test
    void aCertificateForAnotherNameOrOfNobodyIsNotTrusted() throws IOException, GeneralSecurityException {
        Path other = certificates.keyStore("elsewhere", "-ext", "san=dns:elsewhere.example");
        try (var server = new HttpServerForTests(Certificates.context(other, other), false)) {
            String url = "https://127.0.0.1:" + server.port() + "/logs";
            assertThat(complaint(url, Map.of(), Event.DELIVERY_FAILED))
                    .contains("no secure connection")
                    .contains("its issuer trusted");
            assertThat(complaint(
                            url,
                            Map.of("ca_file", folder.resolve("elsewhere.pem").toString()),
                            Event.DELIVERY_FAILED))
                    .contains("no secure connection")
                    .contains("127.0.0.1");
            assertThat(server.taken()).isEmpty();
        }
    }

    @Test
    void anExpiredCertificateIsSaidToBeExpired() throws IOException, GeneralSecurityException {
        Path issuer = certificates.keyStore("issuer", "-ext", "bc:c");
        Path old = certificates.keyStore("old");
        String request = folder.resolve("old.csr").toString();
        String signed = folder.resolve("old.cer").toString();
        certificates.run("-certreq", "old", old, "-file", request);
        certificates.run(
                "-gencert",
                "issuer",
                issuer,
                "-infile",
                request,
                "-outfile",
                signed,
                "-rfc", //
                "-ext",
                "san=ip:127.0.0.1",
                "-startdate",
                "-10d",
                "-validity",
                "1");
        certificates.run(
                "-importcert",
                "issuer",
                old,
                "-noprompt",
                "-file",
                folder.resolve("issuer.pem").toString());
        certificates.run("-importcert", "old", old, "-noprompt", "-file", signed);
        try (var server = new HttpServerForTests(Certificates.context(old, issuer), false)) {
            assertThat(complaint(
                            "https://127.0.0.1:" + server.port() + "/logs",
                            Map.of("ca_file", folder.resolve("issuer.pem").toString()),
                            Event.DELIVERY_FAILED))
                    .contains("has expired");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "url, ftp://x, begins with http",
        "user, me, user and password go together",
        "key_file, k, certificate_file and key_file go together",
        "proxy, here, proxy is HOST:PORT",
    })
    void settingsThatDoNotFitAreRefused(String key, String value, String message) throws IOException {
        assertThatThrownBy(() -> plan("http://x/", Map.of(key, value)).start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
