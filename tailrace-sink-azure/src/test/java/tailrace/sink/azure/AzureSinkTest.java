package tailrace.sink.azure;

import static org.assertj.core.api.Assertions.assertThat;

import com.azure.storage.blob.models.AccessTier;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;
import tailrace.testkit.RunningEngine;
import tailrace.testkit.contract.ObjectStoreContract;

/** Against Azurite. */
class AzureSinkTest extends ObjectStoreContract {
    @TempDir
    static Path servers;

    private static AzureServer server;

    @BeforeAll
    static void startServer() throws IOException {
        server = new AzureServer(servers);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    protected String type() {
        return "azure";
    }

    @Override
    protected int port() {
        return server.port();
    }

    @Override
    protected Map<String, Object> settings(int port) {
        return AzureServer.settings(port);
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
    void whatABlobIsLikeIsSaid() throws IOException {
        write("one", 10);
        try (RunningEngine engine = plan(port(), Map.of("tier", "Cool")).start()) {
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        var properties =
                server.client().getBlobClient(data().keySet().iterator().next()).getProperties();
        assertThat(properties.getAccessTier()).isEqualTo(AccessTier.COOL);
        assertThat(properties.getMetadata()).containsKeys("tailrace_batch", "crc32c");
    }

    @Test
    void blocksThatArrivedAreNotSentAgain() throws IOException {
        byte[] content = writeRandom((int) (20 * MIB));
        try (var proxy = new FaultProxy(
                        port(), n -> n < 3 ? new Fault.None() : n < 5 ? new Fault.Reset(1000) : new Fault.None());
                RunningEngine engine = plan(proxy.port(), Map.of("part_bytes", 5 * MIB, "part_concurrency", 1))
                        .batch(64 * MIB, Duration.ofMillis(50))
                        .start()) {
            engine.awaitDelivered(content.length);
            assertThat(engine.count(Event.DELIVERY_FAILED)).isPositive();
            assertThat(proxy.connections())
                    .as("lists, four blocks and two that were cut, commits, the manifest")
                    .isLessThan(14);
        }
        assertThat(data().values()).containsExactly(content);
    }
}
