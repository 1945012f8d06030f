package tailrace.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Microsoft's own emulator of Azure's blob storage. */
public final class Azurite implements AutoCloseable {
    /** The account that every emulator has, and its key, as Microsoft documents them. */
    public static final String ACCOUNT = "devstoreaccount1";

    public static final String KEY =
            "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

    private static final String VERSION = "3.35.0";

    private final ServerProcess server;

    /** @param folder for what it says */
    public Azurite(Path folder) throws IOException {
        Path program = Packages.npm("azurite", VERSION).resolve("dist/src/blob/main.js");
        Path node = Tool.find("node", "nodejs")
                .orElseThrow(() -> new IOException("there is no node"))
                .executable();
        int port = ServerProcess.freePort();
        server = new ServerProcess(
                folder.resolve("azurite.txt"),
                port,
                List.of(
                        node.toString(),
                        program.toString(),
                        "--blobHost",
                        "127.0.0.1",
                        "--blobPort",
                        Integer.toString(port),
                        "--inMemoryPersistence",
                        "--skipApiVersionCheck",
                        "--silent"));
    }

    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }
}
