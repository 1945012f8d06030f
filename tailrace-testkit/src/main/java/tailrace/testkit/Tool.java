package tailrace.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A program of the system. */
public record Tool(Path executable) {
    private static final long PATIENCE_SECONDS = 120;

    /** What a program has said in the end, on both its outputs. */
    public record Result(int status, String output) {}

    /**
     * A program by its name, installed from its Debian package if it is not there and may be.
     *
     * @return empty where it cannot be had: the test should be skipped, and say so
     */
    public static synchronized Optional<Tool> find(String name, String debianPackage) throws IOException {
        Optional<Tool> found = onPath(name);
        Optional<Tool> apt = onPath("apt-get");
        if (found.isPresent() || apt.isEmpty() || !"root".equals(System.getProperty("user.name"))) {
            return found;
        }
        apt.get().run("update", "-q");
        new Tool(Path.of("env")).run("DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q", debianPackage);
        return onPath(name);
    }

    private static Optional<Tool> onPath(String name) {
        for (String folder : (System.getenv("PATH") + ":/usr/sbin:/sbin").split(":")) {
            Path candidate = Path.of(folder, name);
            if (Files.isExecutable(candidate)) {
                return Optional.of(new Tool(candidate));
            }
        }
        return Optional.empty();
    }

    /** Starts it in a folder. */
    public Process start(Path folder, String... arguments) throws IOException {
        var command = new ArrayList<String>(List.of(executable.toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }

    /** Runs it to its end. */
    public Result run(String... arguments) throws IOException {
        Process process = start(Path.of("/"), arguments);
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(await(process), output);
    }

    /** Runs it, and expects it to say nothing and to succeed. */
    public void runQuietly(String... arguments) throws IOException {
        Result result = run(arguments);
        if (!result.equals(new Result(0, ""))) {
            throw new AssertionError(executable + " " + List.of(arguments) + ": " + result);
        }
    }

    /** Waits for the end of a program; its exit status. */
    public static int await(Process process) {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(process.info() + " does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
