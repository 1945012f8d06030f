package tailrace.sink.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
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
class GcsBadInputTest {
    @TempDir
    Path folder;

    private String complaint(Map<String, Object> settings, Event event) throws IOException {
        var all = new HashMap<>(GcsServer.settings(1));
        all.putAll(settings);
        return Sinks.complaint(folder, "gcs", all, event);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "400, storage_class",
        "401, Correct the credentials",
        "403, Allow storage.objects.create",
        "404, Create the bucket",
        "413, batch.bytes",
    })
    void whatTheServerRefusesIsExplained(int status, String advice) throws IOException {
        try (var server = AnsweringServer.http(status, "{\"error\":{\"message\":\"it does not like it\"}}")) {
            assertThat(complaint(Map.of("endpoint", server.url()), Event.DELIVERY_REFUSED))
                    .contains("gs://bucket/")
                    .contains("answered " + status)
                    .contains("it does not like it")
                    .contains(advice);
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() throws IOException {
        String address = "127.0.0.1:" + ServerProcess.freePort();
        assertThat(complaint(Map.of("endpoint", "http://" + address), Event.DELIVERY_FAILED))
                .contains(address)
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
        try (var server = AnsweringServer.saying("SSH-2.0-OpenSSH_9.2\r\n")) {
            assertThat(complaint(Map.of("endpoint", server.url()), Event.DELIVERY_FAILED))
                    .contains("Does the endpoint speak Google Cloud Storage?");
        }
    }

    @Test
    void credentialsThatAreNoneAreNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("key.json"), "{\"type\": \"nothing\"}");
        assertThat(complaint(Map.of("anonymous", false, "credentials_file", file.toString()), Event.DELIVERY_REFUSED))
                .contains("no credentials")
                .contains("GOOGLE_APPLICATION_CREDENTIALS");
        assertThat(complaint(
                        Map.of("anonymous", false, "credentials_file", folder + "/none.json"), Event.DELIVERY_REFUSED))
                .contains("none.json");
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource({
        "endpoint, nowhere, begins with https://",
        "part_bytes, 300000, multiple of 256KiB",
        "credentials_file, /a, exclude each other",
    })
    void settingsThatDoNotFitTogetherAreRefused(String key, String value, String message) {
        var values = new HashMap<>(GcsServer.settings(1));
        values.put(key, key.equals("part_bytes") ? (Object) Long.valueOf(value) : value);
        assertThatThrownBy(() -> Sinks.open("gcs", values))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }
}
