package tailrace.agent.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** The packaged agent as a process of its own. */
final class AgentProcess {
    private static final long PATIENCE_SECONDS = 60;

    /** What a command printed and how it ended. */
    record Result(int exit, String output) {}

    private final Process process;
    private final Path output;

    private AgentProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    static AgentProcess start(Path output, String... arguments) throws IOException {
        return startWith(List.of(), output, arguments);
    }

    /** With further options of the JVM. */
    static AgentProcess startWith(List<String> options, Path output, String... arguments) throws IOException {
        Path target = Path.of(System.getProperty("tailrace.target"));
        var command = new ArrayList<String>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        command.addAll(options);
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "--enable-native-access=tailrace.linux,aircompressor.v3",
                "--module-path",
                target.resolve("lib") + ":" + System.getProperty("tailrace.jar"),
                "--module",
                "tailrace.agent/tailrace.agent.command.Main"));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        return new AgentProcess(builder.start(), output);
    }

    /** Runs a command to its end. */
    static Result run(String... arguments) throws IOException {
        Path output = Files.createTempFile("agent", ".txt");
        try {
            AgentProcess agent = start(output, arguments);
            return new Result(agent.await(), agent.output());
        } finally {
            Files.delete(output);
        }
    }

    int await() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the agent does not end");
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            process.destroyForcibly();
        }
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly();
        await();
    }

    /** SIGTERM, and the exit status. */
    int terminate() {
        process.destroy();
        return await();
    }

    String output() throws IOException {
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until it has printed something. */
    void awaitOutput(String text) throws IOException {
        awaitThat("'" + text + "'", () -> {
            try {
                return output().contains(text);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    void awaitThat(String what, BooleanSupplier condition) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new AssertionError("waited in vain for " + what + ": " + output());
            }
            LockSupport.parkNanos(5_000_000);
        }
    }
}
