package tailrace.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A server that speaks Google Cloud Storage: fake-gcs-server, which knows preconditions, checksums and chunks. */
public final class FakeGcs implements AutoCloseable {
    private static final String MODULE = "github.com/fsouza/fake-gcs-server";
    private static final String VERSION = "v1.56.1";

    private final ServerProcess server;

    /** @param folder for what it says */
    public FakeGcs(Path folder) throws IOException {
        Path program = Packages.go(MODULE, VERSION);
        int port = ServerProcess.freePort();
        server = new ServerProcess(
                folder.resolve("gcs.txt"),
                port,
                List.of(
                        program.toString(),
                        "-scheme",
                        "http",
                        "-host",
                        "127.0.0.1",
                        "-port",
                        Integer.toString(port),
                        "-backend",
                        "memory"));
    }

    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }
}
