package tailrace.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A server in a process of its own, on the loopback interface, from when it answers until it is closed. */
public final class ServerProcess implements AutoCloseable {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final Process process;
    private final int port;

    /**
     * Starts a server, and waits until it answers.
     *
     * @param output file for what it says
     * @param port where it will listen
     */
    public ServerProcess(Path output, int port, List<String> command) throws IOException {
        this.port = port;
        Files.createDirectories(output.toAbsolutePath().getParent());
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!answers(port)) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                process.destroyForcibly();
                throw new IOException(command.getFirst() + " does not start: " + Files.readString(output));
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** A port that nobody listens on. */
    public static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static boolean answers(int port) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
    }
}
