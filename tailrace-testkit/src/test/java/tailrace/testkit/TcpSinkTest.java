package tailrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.deliver.Integrity;

/** The TCP sink against a receiver that sometimes misbehaves. */
class TcpSinkTest {
    private static final int LINES = 20_000;

    @TempDir
    Path folder;

    private RunningEngine.Plan plan(int port, String framing) {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(folder + "/*.log")
                .batch(200_000, Duration.ofMillis(20))
                .toTcp(port, framing);
    }

    private void write() throws IOException {
        try (var writer = new LineWriter("w", 100, folder.resolve("app.log"))) {
            writer.write(LINES);
        }
    }

    @Test
    void everyLineArrivesOnceWhateverBreaks() throws IOException {
        write();
        try (var receiver = new BatchReceiver().cutInTheMiddle(3).silentAfter(3)) {
            RunningEngine engine = plan(receiver.port(), "batch").start();
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(engine.count(Event.DELIVERY_FAILED)).isGreaterThanOrEqualTo(6);
            engine.close();
            assertThat(receiver.lines().tally(Map.of("w", (long) LINES)).isClean())
                    .isTrue();
            assertThat(receiver.receivedTwice()).isPositive();
        }
    }

    @Test
    void aReceiverThatComesLaterGetsEverything() throws IOException {
        write();
        int port;
        try (var reserved = new BatchReceiver()) {
            port = reserved.port();
        }
        RunningEngine engine = plan(port, "batch").integrity(Integrity.LENGTH).start();
        engine.await("a failure", status -> engine.count(Event.DELIVERY_FAILED) >= 2);
        try (var receiver = new BatchReceiver(port)) {
            engine.awaitDelivered(LINES * 100L);
            assertThat(engine.count(Event.DELIVERY_RECOVERED)).isPositive();
            engine.close();
            assertThat(receiver.lines().tally(Map.of("w", (long) LINES)).isClean())
                    .isTrue();
        }
    }

    @Test
    void rawFramingSendsNothingButTheBytes() throws IOException {
        write();
        var received = new ByteArrayOutputStream();
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> peer = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    socket.getInputStream().transferTo(received);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            RunningEngine engine = plan(server.getLocalPort(), "raw").start();
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            engine.close();
            peer.join();
        }
        var lines = new LineChecker();
        lines.read(new ByteArrayInputStream(received.toByteArray()));
        assertThat(lines.tally(Map.of("w", (long) LINES)).isClean()).isTrue();
    }

    @Test
    void aPeerThatSpeaksAnotherProtocolIsToldInWords() throws IOException {
        write();
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n".getBytes(UTF_8));
                    socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // the test is over
                }
            });
            RunningEngine engine = plan(server.getLocalPort(), "batch").start();
            engine.await("a failure", status -> engine.count(Event.DELIVERY_FAILED) >= 1);
            assertThat(engine.status().books().delivered()).isZero();
            engine.close();
        }
    }
}
