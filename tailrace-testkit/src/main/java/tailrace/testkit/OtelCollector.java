package tailrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** OpenTelemetry's collector, which receives OTLP by HTTP and prints each log record. */
public final class OtelCollector implements AutoCloseable {
    private static final String VERSION = "v0.160.0";

    private final Path output;
    private final ServerProcess server;

    /** @param folder for its configuration, and what it prints */
    public OtelCollector(Path folder) throws IOException {
        Path program = Packages.otelCollector(VERSION);
        int port = ServerProcess.freePort();
        output = folder.resolve("otelcol.txt");
        Path config = Files.writeString(folder.resolve("otelcol.yaml"), """
            receivers: {otlp: {protocols: {http: {endpoint: '127.0.0.1:%d'}}}}
            exporters: {debug: {verbosity: detailed, use_internal_logger: false}}
            service:
              telemetry: {metrics: {level: none}}
              pipelines: {logs: {receivers: [otlp], exporters: [debug]}}
            """.formatted(port));
        server = new ServerProcess(output, port, List.of(program.toString(), "--config", config.toString()));
    }

    public int port() {
        return server.port();
    }

    /** Everything that it has printed. */
    public String printed() throws IOException {
        return new String(Files.readAllBytes(output), UTF_8);
    }

    /** The bodies of all records so far that are strings, in the order of their arrival. */
    public List<String> bodies() throws IOException {
        return printed()
                .lines()
                .filter(line -> line.startsWith("Body: Str("))
                .map(line -> line.substring("Body: Str(".length(), line.length() - 1))
                .toList();
    }

    @Override
    public void close() {
        server.close();
    }
}
