package tailrace.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.testkit.Certificates;
import tailrace.testkit.KafkaCluster;
import tailrace.testkit.RunningEngine;

/** A broker that wants TLS, a client's certificate, and a password by SCRAM. */
class KafkaTlsTest {
    private static final String TOPIC = "secured";

    @TempDir
    static Path servers;

    private static KafkaCluster broker;

    @TempDir
    Path folder;

    @BeforeAll
    static void startBroker() throws Exception {
        var certificates = new Certificates(servers);
        certificates.keyStore("broker", "-ext", "SAN=IP:127.0.0.1");
        certificates.keyStore("agent");
        certificates.writeKey("broker");
        certificates.writeKey("agent");
        Path brokerPem = Files.writeString(
                servers.resolve("broker-both.pem"),
                Files.readString(servers.resolve("broker.key")) + Files.readString(servers.resolve("broker.pem")));
        broker = new KafkaCluster(
                servers.resolve("kafka"),
                System.getProperty("java.class.path"),
                1,
                "SASL_SSL",
                port -> port,
                List.of(
                        "sasl.enabled.mechanisms=SCRAM-SHA-512",
                        "listener.name.client.scram-sha-512.sasl.jaas.config="
                                + "org.apache.kafka.common.security.scram.ScramLoginModule required;",
                        "listener.name.client.ssl.keystore.type=PEM",
                        "listener.name.client.ssl.keystore.location=" + brokerPem,
                        "listener.name.client.ssl.truststore.type=PEM",
                        "listener.name.client.ssl.truststore.location=" + servers.resolve("agent.pem"),
                        "listener.name.client.ssl.client.auth=required"),
                List.of("SCRAM-SHA-512=[name=agent,password=agent-secret]"));
        try (Admin admin = Admin.create(client())) {
            admin.createTopics(List.of(new NewTopic(TOPIC, Optional.of(1), Optional.empty())))
                    .all()
                    .get();
        }
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    private static Map<String, Object> settings(Map<String, Object> more) {
        var settings = new HashMap<String, Object>(Map.of(
                "brokers",
                "127.0.0.1:" + broker.port(),
                "topic",
                TOPIC,
                "timeout",
                Duration.ofSeconds(10),
                "tls",
                true,
                "ca_file",
                servers.resolve("broker.pem").toString(),
                "certificate_file",
                servers.resolve("agent.pem").toString(),
                "key_file",
                servers.resolve("agent.key").toString()));
        settings.putAll(Map.of("sasl", "SCRAM-SHA-512", "user", "agent", "password", "agent-secret"));
        settings.putAll(more);
        return settings;
    }

    private static Properties client() throws IOException {
        return ClientProperties.common(RunningEngine.values(new KafkaSinkProvider(), settings(Map.of())));
    }

    private RunningEngine.Plan plan(Map<String, Object> settings) throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        Files.writeString(in.resolve("app.log"), "one\ntwo\nthree\n");
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/*.log")
                .toSink("kafka", settings)
                .batch(16 << 10, Duration.ofMillis(20));
    }

    private String complaint(Map<String, Object> settings) throws IOException {
        List<String> said = new CopyOnWriteArrayList<>();
        try (RunningEngine engine = plan(settings)
                .listen((event, line) -> {
                    if (event == Event.DELIVERY_REFUSED || event == Event.DELIVERY_FAILED) {
                        said.add(event + " " + line);
                    }
                })
                .start()) {
            engine.await("a complaint", status -> !said.isEmpty());
            assertThat(engine.status().books().pending()).isEqualTo(14);
        }
        return said.getFirst();
    }

    @Test
    void whoCanShowBothIsLetIn() throws IOException {
        try (RunningEngine engine = plan(settings(Map.of())).start()) {
            engine.awaitDelivered(14);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(Committed.records(client(), TOPIC).stream().map(record -> new String(record.value(), UTF_8)))
                .containsExactly("one", "two", "three");
    }

    @Test
    void aWrongPasswordIsRefused() throws IOException {
        assertThat(complaint(settings(Map.of("password", "guessed"))))
                .startsWith("DELIVERY_REFUSED")
                .contains("invalid credentials with SASL mechanism SCRAM-SHA-512")
                .contains("Correct the sink's sasl, user and password");
        assertThat(complaint(settings(Map.of("sasl", "SCRAM-SHA-256"))))
                .startsWith("DELIVERY_REFUSED")
                .contains("Correct the sink's sasl, user and password");
    }

    @Test
    void withoutACertificateNobodyIsLetIn() throws IOException {
        Map<String, Object> settings = settings(Map.of());
        settings.remove("certificate_file");
        settings.remove("key_file");
        assertThat(complaint(settings))
                .startsWith("DELIVERY_REFUSED")
                .contains("Correct the sink's tls, ca_file, certificate_file or key_file");
    }

    @Test
    void aBrokerThatNobodyVouchesForIsNotTrusted() throws IOException {
        Map<String, Object> settings = settings(Map.of());
        settings.remove("ca_file");
        assertThat(complaint(settings))
                .startsWith("DELIVERY_REFUSED")
                .contains("certificate")
                .contains("Correct the sink's tls, ca_file, certificate_file or key_file");
    }

    @Test
    void aBrokerOfAnotherNameIsNotTrusted() throws IOException {
        assertThat(complaint(settings(Map.of("brokers", "localhost:" + broker.port()))))
                .startsWith("DELIVERY_REFUSED")
                .contains("localhost")
                .contains("Correct the sink's tls, ca_file, certificate_file or key_file");
    }
}
