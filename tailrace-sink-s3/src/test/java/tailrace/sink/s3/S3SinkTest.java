package tailrace.sink.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;
import tailrace.testkit.RunningEngine;

/** Against Adobe's S3Mock. */
class S3SinkTest extends S3Contract {
    @TempDir
    static Path servers;

    private static S3Server server;

    @BeforeAll
    static void startServer() throws IOException {
        server = S3Server.mock(servers);
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    S3Server server() {
        return server;
    }

    @Test
    void fiveMegabytesAreAPart() throws IOException {
        byte[] content = writeRandom((int) (23 * MIB));
        try (RunningEngine engine = plan(server.port(), Map.of("part_bytes", 5 * MIB))
                .batch(64 * MIB, Duration.ofMillis(50))
                .start()) {
            engine.awaitDelivered(content.length);
        }
        String key = data().keySet().iterator().next();
        assertThat(server.client()
                        .headObject(r -> r.bucket(S3Server.BUCKET).key(key))
                        .eTag())
                .contains("-");
    }

    @Test
    void partsThatArrivedAreNotSentAgain() throws IOException {
        byte[] content = writeRandom((int) (20 * MIB));
        try (var proxy = new FaultProxy(
                        server.port(),
                        n -> n < 4 ? new Fault.None() : n < 8 ? new Fault.Reset(1000) : new Fault.None());
                RunningEngine engine = plan(proxy.port(), Map.of("part_bytes", 5 * MIB, "part_concurrency", 1))
                        .batch(64 * MIB, Duration.ofMillis(50))
                        .start()) {
            engine.awaitDelivered(content.length);
            assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
            assertThat(engine.count(Event.DELIVERY_FAILED)).isPositive();
        }
        assertThat(data().values()).containsExactly(content);
        assertThat(server.client()
                        .listMultipartUploads(r -> r.bucket(S3Server.BUCKET))
                        .uploads())
                .as("uploads left behind")
                .isEmpty();
    }

    /** A batch whose file is gone before its upload goes on leaves no parts to be paid for. */
    @Test
    void partsOfABatchThatIsGoneAreTakenBack() throws IOException {
        writeRandom((int) (20 * MIB));
        Map<String, Object> settings = Map.of("part_bytes", 5 * MIB, "part_concurrency", 1);
        try (var proxy = new FaultProxy(server.port(), n -> n < 4 ? new Fault.None() : new Fault.Reset(1000));
                RunningEngine engine = plan(proxy.port(), settings)
                        .batch(64 * MIB, Duration.ofMillis(50))
                        .start()) {
            engine.await("a broken upload", status -> engine.count(Event.DELIVERY_FAILED) > 0);
        }
        assertThat(uploads()).isPositive();
        Files.writeString(in.resolve("big.log"), "another file\n");
        try (RunningEngine engine = plan(server.port(), settings).start()) {
            engine.awaitDelivered(13);
            assertThat(engine.drain(Duration.ofSeconds(60))).isTrue();
        }
        assertThat(uploads()).isZero();
    }

    private int uploads() {
        return server.client()
                .listMultipartUploads(r -> r.bucket(S3Server.BUCKET).prefix(prefix))
                .uploads()
                .size();
    }

    @Test
    void whatAnObjectIsLikeIsSaid() throws IOException {
        write("one", 10);
        try (RunningEngine engine = plan(
                        server.port(), Map.of("storage_class", "STANDARD_IA", "tags", List.of("team=data", "kind=a-b")))
                .start()) {
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
        String key = data().keySet().iterator().next();
        var head = server.client().headObject(r -> r.bucket(S3Server.BUCKET).key(key));
        assertThat(head.storageClassAsString()).isEqualTo("STANDARD_IA");
        assertThat(head.metadata()).containsKey("tailrace-batch");
        var tags = server.client()
                .getObjectTagging(r -> r.bucket(S3Server.BUCKET).key(key))
                .tagSet();
        assertThat(tags)
                .extracting(tag -> tag.key() + "=" + tag.value())
                .containsExactlyInAnyOrder("team=data", "kind=a-b");
    }
}
