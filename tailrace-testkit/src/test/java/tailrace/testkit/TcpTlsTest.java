package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;

/** The TCP sink with TLS. */
class TcpTlsTest {
    @TempDir
    Path folder;

    private Certificates certificates;

    @BeforeEach
    void prepare() {
        certificates = new Certificates(folder);
    }

    private static BatchReceiver receiver(SSLContext context, boolean asksForCertificates) throws IOException {
        var socket = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 16, InetAddress.getLoopbackAddress());
        socket.setNeedClientAuth(asksForCertificates);
        return new BatchReceiver(socket);
    }

    private Map<String, Object> settings(int port, String trusted) {
        return new HashMap<>(Map.of(
                "host",
                "127.0.0.1",
                "port",
                port,
                "tls",
                true,
                "ca_file",
                folder.resolve(trusted + ".pem").toString()));
    }

    @Test
    void everyLineArrivesOnceWhateverBreaksAndBothSidesShowTheirCertificates()
            throws IOException, GeneralSecurityException {
        Path server = certificates.keyStore("server", "-ext", "san=ip:127.0.0.1");
        Path agent = certificates.keyStore("agent");
        Path in = Files.createDirectory(folder.resolve("in"));
        try (var writer = new LineWriter("app", 100, in.resolve("app.log"))) {
            writer.write(20_000);
        }
        try (BatchReceiver receiver = receiver(Certificates.context(server, agent), true)
                .cutInTheMiddle(2)
                .silentAfter(2)) {
            Map<String, Object> settings = settings(receiver.port(), "server");
            settings.put("certificate_file", folder.resolve("agent.pem").toString());
            settings.put("key_file", certificates.writeKey("agent").toString());
            try (RunningEngine engine = new RunningEngine.Plan(folder.resolve("state"))
                    .include(in + "/*.log")
                    .toSink("tcp", settings)
                    .batch(64 << 10, Duration.ofMillis(20))
                    .start()) {
                engine.awaitDelivered(2_000_000);
                assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
                assertThat(engine.count(Event.DELIVERY_FAILED)).isGreaterThanOrEqualTo(4);
                assertThat(engine.count(Event.SINK_BUG)).isZero();
            }
            assertThat(receiver.lines().tally(Map.of("app", 20_000L)))
                    .isEqualTo(new LineChecker.Tally(20_000, 20_000, 0, 0, 0));
            assertThat(receiver.receivedTwice()).isPositive();
        }
    }

    @Test
    void aCertificateForAnotherNameIsRefusedUnlessToldOtherwise() throws IOException, GeneralSecurityException {
        Path other = certificates.keyStore("elsewhere", "-ext", "san=dns:elsewhere.example");
        try (BatchReceiver receiver = receiver(Certificates.context(other, other), false)) {
            Map<String, Object> settings = settings(receiver.port(), "elsewhere");
            assertThat(Sinks.complaint(folder, "tcp", settings, Event.DELIVERY_FAILED))
                    .contains("127.0.0.1:" + receiver.port())
                    .contains("no secure connection");
            settings.put("verify_name", false);
            try (RunningEngine engine = new RunningEngine.Plan(folder.resolve("state"))
                    .include(folder.resolve("in") + "/*.log")
                    .toSink("tcp", settings)
                    .start()) {
                assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            }
        }
    }

    @Test
    void aStrangerIsNotTrusted() throws IOException, GeneralSecurityException {
        Path server = certificates.keyStore("server", "-ext", "san=ip:127.0.0.1");
        certificates.keyStore("stranger");
        try (BatchReceiver receiver = receiver(Certificates.context(server, server), false)) {
            assertThat(Sinks.complaint(folder, "tcp", settings(receiver.port(), "stranger"), Event.DELIVERY_FAILED))
                    .contains("its issuer trusted");
        }
    }

    @Test
    void aPeerWithoutTlsIsToldInWords() throws IOException {
        certificates.keyStore("server");
        try (var server = AnsweringServer.saying("220 mail ready\r\n")) {
            int port = Integer.parseInt(server.url().replaceFirst(".*:", ""));
            assertThat(Sinks.complaint(folder, "tcp", settings(port, "server"), Event.DELIVERY_FAILED))
                    .contains("127.0.0.1:" + port)
                    .contains("no secure connection");
        }
    }

    @Test
    void settingsThatDoNotFitTogetherAreRefused() {
        Map<String, Object> settings = settings(9, "x");
        settings.put("framing", "raw");
        assertThatThrownBy(() -> Sinks.open("tcp", settings)).hasMessageContaining("raw does not go with tls");
        settings.put("framing", "batch");
        settings.put("tls", false);
        assertThatThrownBy(() -> Sinks.open("tcp", settings)).hasMessageContaining("need tls: true");
        settings.put("tls", true);
        settings.put("key_file", "k");
        assertThatThrownBy(() -> Sinks.open("tcp", settings)).hasMessageContaining("go together");
    }
}
