package tailrace.sink.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tailrace.core.Event;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SinkProvider;
import tailrace.testkit.Sinks;

/** What can be wrong: the message names it and the remedy, and the bytes stay pending. */
class S3BadInputTest {
    @TempDir
    Path folder;

    private String complaint(Map<String, Object> settings, Event event) throws IOException {
        var all = new HashMap<String, Object>(S3Server.settings(1));
        all.putAll(settings);
        return Sinks.complaint(folder, "s3", all, event);
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource({
        "404, NoSuchBucket, Create the bucket",
        "403, AccessDenied, Allow s3:PutObject",
        "403, SignatureDoesNotMatch, Correct the credentials",
        "403, InvalidAccessKeyId, Correct the credentials",
        "403, RequestTimeTooSkewed, Set this machine's clock",
        "301, PermanentRedirect, another region",
        "400, InvalidRetentionPeriod, object lock",
        "403, ObjectLockConfigurationNotFoundError, object lock",
        "400, KeyTooLongError, Shorten the route's key",
        "400, EntityTooLarge, batch.bytes",
        "501, NotImplemented, create_only: false",
    })
    void whatTheServerRefusesIsExplained(int status, String code, String advice) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        byte[] body =
                ("<Error><Code>" + code + "</Code><Message>no</Message></Error>").getBytes(StandardCharsets.UTF_8);
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("Content-Type", "application/xml");
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        try {
            String endpoint = "http://127.0.0.1:" + server.getAddress().getPort();
            assertThat(complaint(Map.of("endpoint", endpoint), Event.DELIVERY_REFUSED))
                    .contains(code)
                    .contains("s3://bucket")
                    .contains(advice);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() throws IOException {
        int port;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertThat(complaint(Map.of("endpoint", "http://127.0.0.1:" + port), Event.DELIVERY_FAILED))
                .contains("127.0.0.1:" + port)
                .contains("Is the server running");
    }

    @Test
    void aNameThatDoesNotResolveIsNamed() throws IOException {
        assertThat(complaint(Map.of("endpoint", "http://no-such-host.invalid"), Event.DELIVERY_FAILED))
                .contains("no-such-host.invalid")
                .contains("cannot be resolved");
    }

    @Test
    void anotherProtocolIsRecognised() throws IOException {
        try (var listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> {
                while (true) {
                    try (var client = listener.accept()) {
                        client.getOutputStream().write("SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII));
                        client.getInputStream().read(new byte[1 << 16]);
                    } catch (IOException e) {
                        return;
                    }
                }
            });
            assertThat(complaint(
                            Map.of("endpoint", "http://127.0.0.1:" + listener.getLocalPort()), Event.DELIVERY_FAILED))
                    .contains("Does the endpoint speak S3?");
        }
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource({
        "external_id, x, external_id needs role_arn",
        "kms_key, x, kms_key needs encryption: kms",
        "tags, team, a tag is name=value",
    })
    void settingsThatDoNotFitTogetherAreRefused(String key, String value, String message) {
        var provider = new S3SinkProvider();
        var values = new HashMap<String, Object>(Map.of("bucket", "b", "prefix", "", "create_only", true));
        values.put("part_bytes", 16L << 20);
        values.put("encryption", "default");
        boolean isList = provider.settings().stream()
                .anyMatch(setting -> setting.key().equals(key) && setting.kind() == Setting.Kind.STRINGS);
        values.put(key, isList ? List.of(value) : value);
        assertThatThrownBy(() -> provider.open(new SettingValues(values), context()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    private static SinkProvider.Context context() {
        return new SinkProvider.Context(
                new tailrace.linux.LinuxKernel(),
                new tailrace.core.EventLog((event, line) -> {}),
                "host",
                "00000000",
                tailrace.core.deliver.Integrity.CRC32C);
    }
}
