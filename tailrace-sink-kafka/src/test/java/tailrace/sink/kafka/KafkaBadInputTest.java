package tailrace.sink.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
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
import tailrace.core.EventLog;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.linux.LinuxKernel;
import tailrace.testkit.KafkaCluster;
import tailrace.testkit.RunningEngine;
import tailrace.testkit.ServerProcess;

/** What goes wrong is named, with what to do; nothing is lost. The broker asks for passwords and permissions. */
class KafkaBadInputTest {
    @TempDir
    static Path serverFolder;

    private static KafkaCluster broker;

    @TempDir
    Path folder;

    @BeforeAll
    static void startBroker() throws Exception {
        String login = "org.apache.kafka.common.security.plain.PlainLoginModule required"
                + " user_admin=\"admin-secret\" user_agent=\"agent-secret\";";
        broker = new KafkaCluster(
                serverFolder,
                System.getProperty("java.class.path"),
                1,
                "SASL_PLAINTEXT",
                port -> port,
                List.of(
                        "sasl.enabled.mechanisms=PLAIN",
                        "sasl.mechanism.inter.broker.protocol=PLAIN",
                        "listener.name.client.plain.sasl.jaas.config="
                                + login.replace("required", "required username=\"admin\" password=\"admin-secret\""),
                        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "super.users=User:admin;User:ANONYMOUS"));
        var properties = new Properties();
        properties.put("bootstrap.servers", "127.0.0.1:" + broker.port());
        properties.put("security.protocol", "SASL_PLAINTEXT");
        properties.put("sasl.mechanism", "PLAIN");
        properties.put(
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required"
                        + " username=\"admin\" password=\"admin-secret\";");
        try (Admin admin = Admin.create(properties)) {
            admin.createTopics(List.of(new NewTopic("there", Optional.of(1), Optional.empty())))
                    .all()
                    .get();
        }
    }

    @AfterAll
    static void stopBroker() {
        broker.close();
    }

    private static Map<String, Object> settings(int port, Map<String, Object> more) {
        var settings = new HashMap<String, Object>(
                Map.of("brokers", "127.0.0.1:" + port, "topic", "there", "timeout", Duration.ofSeconds(4)));
        settings.putAll(more);
        return settings;
    }

    private static Map<String, Object> login(String user, String password) {
        return Map.of("sasl", "PLAIN", "user", user, "password", password);
    }

    private String complaint(Map<String, Object> settings, Event event) throws IOException {
        Path in = Files.createDirectories(folder.resolve("in"));
        Files.writeString(in.resolve("app.log"), "one\n".repeat(10));
        List<String> said = new CopyOnWriteArrayList<>();
        try (RunningEngine engine = new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/*.log")
                .toSink("kafka", settings)
                .listen((e, line) -> {
                    if (e == event) {
                        said.add(line);
                    }
                })
                .start()) {
            engine.await("a complaint", status -> !said.isEmpty());
            assertThat(engine.status().books().pending()).isEqualTo(40);
            assertThat(engine.count(Event.SINK_BUG)).isZero();
        }
        return said.getFirst();
    }

    private static List<Finding> check(Map<String, Object> settings) throws IOException {
        var context = new SinkProvider.Context(
                new LinuxKernel(), new EventLog((event, line) -> {}), "testhost", "7e57ab1e", Integrity.CRC32C);
        var provider = new KafkaSinkProvider();
        try (Sink sink = provider.open(RunningEngine.values(provider, settings), context)) {
            return sink.check();
        }
    }

    @Test
    void aTopicThatIsNotThereIsNamed() throws IOException {
        var more = new HashMap<>(login("admin", "admin-secret"));
        more.put("topic", "nowhere");
        assertThat(complaint(settings(broker.port(), more), Event.DELIVERY_FAILED))
                .contains("there is no topic nowhere, or its leader is down. Create it, or correct the sink's topic");
        assertThat(check(settings(broker.port(), more)))
                .anySatisfy(finding -> assertThat(finding)
                        .isEqualTo(Finding.fail("there is no topic nowhere, or we may not see it: create it")));
    }

    @Test
    void aWrongPasswordIsRefused() throws IOException {
        assertThat(complaint(settings(broker.port(), login("admin", "wrong")), Event.DELIVERY_REFUSED))
                .contains("Authentication failed")
                .contains("Correct the sink's sasl, user and password");
    }

    @Test
    void whatIsNotAllowedIsNamed() throws IOException {
        assertThat(complaint(settings(broker.port(), login("agent", "agent-secret")), Event.DELIVERY_REFUSED))
                .contains("Allow this user to write and describe the topics there and _tailrace_progress");
        assertThat(check(settings(broker.port(), login("agent", "agent-secret"))))
                .anySatisfy(finding -> assertThat(finding.grade()).isEqualTo(Finding.Grade.FAIL));
    }

    @Test
    void nobodyThereAndSomebodyElseThereAreTransient() throws IOException {
        assertThat(complaint(settings(ServerProcess.freePort(), Map.of()), Event.DELIVERY_FAILED))
                .contains("Are the brokers running");
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.start();
        try {
            assertThat(complaint(settings(http.getAddress().getPort(), Map.of()), Event.DELIVERY_FAILED))
                    .contains("do they speak Kafka");
        } finally {
            http.stop(0);
        }
        assertThat(complaint(settings(broker.port(), Map.of("tls", true)), Event.DELIVERY_FAILED))
                .contains("do they speak Kafka with TLS");
    }

    @Test
    void everythingThatADeliveryNeedsIsTriedByTheCheck() throws IOException {
        assertThat(check(settings(broker.port(), login("admin", "admin-secret"))))
                .hasSize(4)
                .allSatisfy(finding -> assertThat(finding.grade()).isEqualTo(Finding.Grade.OK));
    }

    @Test
    void settingsThatDoNotFitTogetherAreRefused() {
        assertThatThrownBy(() -> check(settings(1, Map.of("record_key", "{batch}"))))
                .hasMessageContaining("record_key")
                .hasMessageContaining("{batch}");
        assertThatThrownBy(() -> check(settings(1, Map.of("sasl", "PLAIN"))))
                .hasMessage("sasl needs user and password");
        assertThatThrownBy(() -> check(settings(1, Map.of("topic", "_tailrace_progress"))))
                .hasMessageContaining("cannot be the same");
        assertThatThrownBy(() -> check(settings(1, Map.of("brokers", "no port"))))
                .hasMessageContaining("brokers is HOST:PORT");
        assertThatThrownBy(() -> check(settings(1, Map.of("properties", List.of("acks")))))
                .hasMessageContaining("name=value");
        assertThatThrownBy(() -> check(settings(1, Map.of("properties", List.of("interceptor.classes=any.Class")))))
                .hasMessageContaining("properties cannot have interceptor.classes");
    }
}
