package tailrace.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** An S3 server: Adobe's S3Mock, which knows conditional writes, parts and checksums. */
public final class S3Mock implements AutoCloseable {
    private final ServerProcess server;

    /**
     * Starts a server.
     *
     * @param folder for what it stores, and what it says
     * @param jar the program
     * @param bucket is there from the start
     */
    public S3Mock(Path folder, Path jar, String bucket) throws IOException {
        int port = ServerProcess.freePort();
        server = new ServerProcess(
                folder.resolve("s3mock.txt"),
                port,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-jar",
                        jar.toString(),
                        "--http.port=" + port,
                        "--server.port=" + ServerProcess.freePort(),
                        "--server.address=127.0.0.1",
                        "--com.adobe.testing.s3mock.store.initialBuckets=" + bucket,
                        "--com.adobe.testing.s3mock.store.root=" + folder.resolve("s3mock")));
    }

    /** For HTTP, without TLS. */
    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }
}
