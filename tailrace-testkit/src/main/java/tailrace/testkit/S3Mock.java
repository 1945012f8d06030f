package tailrace.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** An S3 server in a process of its own: Adobe's S3Mock, which knows conditional writes, parts and checksums. */
public final class S3Mock implements AutoCloseable {
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final Process process;
    private final int port;

    /**
     * Starts a server.
     *
     * @param folder for what it stores, and what it says
     * @param jar the program
     * @param bucket is there from the start
     */
    public S3Mock(Path folder, Path jar, String bucket) throws IOException {
        port = freePort();
        Path output = Files.createDirectories(folder).resolve("s3mock.txt");
        process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-jar",
                        jar.toString(),
                        "--http.port=" + port,
                        "--server.port=" + freePort(),
                        "--server.address=127.0.0.1",
                        "--com.adobe.testing.s3mock.store.initialBuckets=" + bucket,
                        "--com.adobe.testing.s3mock.store.root=" + folder.resolve("s3mock")))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!answers()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IOException("S3Mock does not start: " + Files.readString(output));
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private boolean answers() {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** For HTTP, without TLS. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.destroy();
    }
}
