package tailrace.sink.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tailrace.core.Event;
import tailrace.testkit.AnsweringServer;
import tailrace.testkit.ServerProcess;
import tailrace.testkit.Sinks;

/** What can be wrong: the message names it and the remedy, and the bytes stay pending. */
class AzureBadInputTest {
    @TempDir
    Path folder;

    private String complaint(Map<String, Object> settings, Event event) throws IOException {
        var all = new HashMap<>(AzureServer.settings(1));
        all.putAll(settings);
        return Sinks.complaint(folder, "azure", all, event);
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource({
        "404, ContainerNotFound, Create the container",
        "403, AuthenticationFailed, Correct account_key",
        "403, AuthorizationPermissionMismatch, Storage Blob Data Contributor",
        "409, BlobImmutableDueToPolicy, immutability policy",
        "400, InvalidResourceName, 1024 characters",
        "413, RequestBodyTooLarge, part_bytes",
    })
    void whatTheServerRefusesIsExplained(int status, String code, String advice) throws IOException {
        String body = "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>" + code
                + "</Code><Message>no</Message></Error>";
        try (var server = AnsweringServer.http(
                status, body, "x-ms-error-code: " + code + "\r\n", "Content-Type: application/xml\r\n")) {
            assertThat(complaint(Map.of("endpoint", server.url() + "/account"), Event.DELIVERY_REFUSED))
                    .contains(code)
                    .contains("azure container container of")
                    .contains(advice);
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() throws IOException {
        String address = "127.0.0.1:" + ServerProcess.freePort();
        assertThat(complaint(Map.of("endpoint", "http://" + address + "/account"), Event.DELIVERY_FAILED))
                .contains(address)
                .contains("Is the server running");
    }

    @Test
    void aNameThatDoesNotResolveIsNamed() throws IOException {
        assertThat(complaint(Map.of("endpoint", "http://no-such-host.invalid/account"), Event.DELIVERY_FAILED))
                .contains("no-such-host.invalid")
                .contains("cannot be resolved");
    }

    @Test
    void anotherProtocolIsRecognised() throws IOException {
        try (var server = AnsweringServer.saying("SSH-2.0-OpenSSH_9.2\r\n")) {
            assertThat(complaint(Map.of("endpoint", server.url() + "/account"), Event.DELIVERY_FAILED))
                    .contains("Does the endpoint speak Azure's blob storage?");
        }
    }

    @Test
    void aWrongKeyIsNamed() throws IOException {
        try (var real = new AzureServer(folder)) {
            var settings = new HashMap<>(AzureServer.settings(real.port()));
            settings.put("account_key", "d3Jvbmc=");
            assertThat(complaint(settings, Event.DELIVERY_REFUSED)).contains("Correct the credentials");
            settings.putAll(AzureServer.settings(real.port()));
            settings.put("container", "other");
            assertThat(complaint(settings, Event.DELIVERY_REFUSED)).contains("Create the container");
        }
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource({
        "sas_token, x, exclude each other",
        "part_bytes, 0, at least 1B",
    })
    void settingsThatDoNotFitTogetherAreRefused(String key, String value, String message) {
        var values = new HashMap<>(AzureServer.settings(1));
        values.put(key, key.equals("part_bytes") ? (Object) Long.valueOf(value) : value);
        assertThatThrownBy(() -> Sinks.open("azure", values))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @Test
    void anAccountOrAnEndpointIsNeeded() {
        assertThatThrownBy(() -> Sinks.open("azure", Map.of("container", "c")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs its account");
    }
}
