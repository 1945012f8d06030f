package tailrace.agent.status;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.engine.Engine;
import tailrace.core.engine.Status;

/** {@code agent.sock} in the state directory: who connects gets the status as one line of JSON. */
public final class StatusSocket implements AutoCloseable {
    private static final String NAME = "agent.sock";

    /** sun_path has 108 bytes, one of them a NUL. */
    private static final int MAX_PATH_BYTES = 107;

    private static final int ANSWER_SECONDS = 10;

    private final ServerSocketChannel server;
    private final Path path;
    private final Engine engine;

    private StatusSocket(ServerSocketChannel server, Path path, Engine engine) {
        this.server = server;
        this.path = path;
        this.engine = engine;
    }

    /** Opens the socket; an agent without one still works, so a failure is only reported. */
    public static Optional<StatusSocket> open(Path state, Engine engine, EventLog log) {
        Path path = state.resolve(NAME);
        try {
            if (path.toString().getBytes(UTF_8).length > MAX_PATH_BYTES) {
                throw new IOException("the path of the state directory is too long for a socket");
            }
            Files.deleteIfExists(path); // left by an agent that was killed: we hold the lock
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            server.bind(UnixDomainSocketAddress.of(path));
            var socket = new StatusSocket(server, path, engine);
            Thread.ofPlatform().name("status").daemon().start(socket::serve);
            return Optional.of(socket);
        } catch (IOException e) {
            log.report(Event.STATUS_UNAVAILABLE, path, String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    private void serve() {
        while (server.isOpen()) {
            try (SocketChannel client = server.accept()) {
                Status status = engine.status().get(ANSWER_SECONDS, TimeUnit.SECONDS);
                ByteBuffer answer = ByteBuffer.wrap((StatusJson.write(status) + "\n").getBytes(UTF_8));
                while (answer.hasRemaining()) {
                    client.write(answer);
                }
            } catch (IOException | ExecutionException | TimeoutException e) {
                // a client that went away, or the end of the engine: the next accept tells
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Asks the agent that runs in a state directory; empty if none answers. */
    public static Optional<String> ask(Path state) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(state.resolve(NAME)))) {
            String answer = new String(Channels.newInputStream(channel).readAllBytes(), UTF_8).strip();
            return answer.isEmpty() ? Optional.empty() : Optional.of(answer);
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(path);
    }
}
