package tailrace.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Programs for tests from the registries of Go and npm, installed once into a folder of the build. */
public final class Packages {
    private static final Path FOLDER = Path.of("target", "tools").toAbsolutePath();
    private static final long PATIENCE_MINUTES = 15;
    private static final int ATTEMPTS = 3;

    /** The database of checksums does not know all that mirrors have. */
    private static final String NO_CHECKSUMS = "GONOSUMDB=*";

    private Packages() {}

    /**
     * A program of a Go module.
     *
     * @param module with the path of its command
     */
    public static Path go(String module, String version) throws IOException {
        Path program = FOLDER.resolve("go").resolve(module.substring(module.lastIndexOf('/') + 1));
        if (!Files.isExecutable(program)) {
            Tool go = Tool.find("go", "golang-go").orElseThrow(() -> new IOException("there is no go"));
            install(List.of(
                    "env",
                    "GOBIN=" + program.getParent(),
                    "GOTOOLCHAIN=auto",
                    NO_CHECKSUMS,
                    go.executable().toString(),
                    "install",
                    module + "@" + version));
        }
        return program;
    }

    /**
     * A collector of OpenTelemetry that receives OTLP and prints what it gets, made by OpenTelemetry's own builder, which
     * takes a minute or two.
     */
    static Path otelCollector(String version) throws IOException {
        Path folder = FOLDER.resolve("otelcol-" + version);
        Path program = folder.resolve("otelcol");
        if (!Files.isExecutable(program)) {
            Files.createDirectories(folder);
            Path builder = go("go.opentelemetry.io/collector/cmd/builder", version);
            Path manifest = Files.writeString(folder.resolve("builder.yaml"), """
                dist: {name: otelcol, output_path: %s, module: example.org/otelcol}
                receivers: [{gomod: go.opentelemetry.io/collector/receiver/otlpreceiver %s}]
                exporters: [{gomod: go.opentelemetry.io/collector/exporter/debugexporter %s}]
                """.formatted(folder, version, version));
            install(List.of("env", NO_CHECKSUMS, builder.toString(), "--config", manifest.toString()));
        }
        return program;
    }

    /** The folder of an npm package. */
    public static Path npm(String name, String version) throws IOException {
        Path root = FOLDER.resolve("npm-" + name);
        Path folder = root.resolve("node_modules").resolve(name);
        if (!Files.isDirectory(folder)) {
            Tool npm = Tool.find("npm", "npm").orElseThrow(() -> new IOException("there is no npm"));
            Files.createDirectories(root);
            install(List.of(
                    npm.executable().toString(),
                    "install",
                    "--no-audit",
                    "--no-fund",
                    "--ignore-scripts",
                    "--prefix",
                    root.toString(),
                    name + "@" + version));
        }
        return folder;
    }

    /** Networks fail at times. */
    private static void install(List<String> command) throws IOException {
        Files.createDirectories(FOLDER);
        Path output = Files.createTempFile(FOLDER, "install", ".txt");
        for (int attempt = 1; ; attempt++) {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                if (process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES) && process.exitValue() == 0) {
                    return;
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                process.destroyForcibly();
            }
            if (attempt == ATTEMPTS) {
                throw new IOException(String.join(" ", command) + " fails: " + Files.readString(output));
            }
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(5L * attempt));
        }
    }
}
