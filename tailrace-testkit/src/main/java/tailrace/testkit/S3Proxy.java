package tailrace.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Another S3 server: S3Proxy, over files, with and without TLS. */
public final class S3Proxy implements AutoCloseable {
    private final ServerProcess server;
    private final int tlsPort;

    /**
     * Starts a server.
     *
     * @param folder for what it stores, and what it says
     * @param jars the folder of the program and what it needs
     * @param keys its key and certificate, of {@link Certificates}
     */
    public S3Proxy(Path folder, Path jars, Path keys) throws IOException {
        int port = ServerProcess.freePort();
        tlsPort = ServerProcess.freePort();
        Path properties = Files.writeString(folder.resolve("s3proxy.conf"), """
            s3proxy.authorization=none
            s3proxy.ignore-unknown-headers=true
            s3proxy.endpoint=http://127.0.0.1:%d
            s3proxy.secure-endpoint=https://127.0.0.1:%d
            s3proxy.keystore-path=%s
            s3proxy.keystore-password=secret
            jclouds.provider=filesystem-nio2
            jclouds.identity=none
            jclouds.credential=none
            jclouds.filesystem.basedir=%s
            """.formatted(
                        port, tlsPort, keys, Files.createDirectories(folder.resolve("s3proxy"))));
        server = new ServerProcess(
                folder.resolve("s3proxy.txt"),
                port,
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        jars + "/*",
                        "org.gaul.s3proxy.Main",
                        "--properties",
                        properties.toString()));
    }

    /** For HTTP, without TLS. */
    public int port() {
        return server.port();
    }

    public int tlsPort() {
        return tlsPort;
    }

    @Override
    public void close() {
        server.close();
    }
}
