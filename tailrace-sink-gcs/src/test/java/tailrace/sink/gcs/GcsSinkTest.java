package tailrace.sink.gcs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.testkit.RunningEngine;
import tailrace.testkit.contract.ObjectStoreContract;

/** Against fake-gcs-server. */
class GcsSinkTest extends ObjectStoreContract {
    @TempDir
    static Path servers;

    private static GcsServer server;

    @BeforeAll
    static void startServer() throws IOException {
        server = new GcsServer(servers);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected String type() {
        return "gcs";
    }

    @Override
    protected int port() {
        return server.port();
    }

    @Override
    protected Map<String, Object> settings(int port) {
        return GcsServer.settings(port);
    }

    @Override
    protected Map<String, byte[]> objects(String beginning) throws IOException {
        return server.objects(beginning);
    }

    @Override
    protected void put(String key, byte[] content) throws IOException {
        server.put(key, content);
    }

    @Test
    void whatAnObjectIsLikeIsSaid() throws IOException {
        write("one", 10);
        try (RunningEngine engine =
                plan(port(), Map.of("storage_class", "NEARLINE")).start()) {
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(server.metadata(data().keySet().iterator().next()))
                .contains("\"storageClass\":\"NEARLINE\"")
                .contains("\"tailrace-batch\":");
    }
}
