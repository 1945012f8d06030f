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
                    go.executable().toString(),
                    "install",
                    module + "@" + version));
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
