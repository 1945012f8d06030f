package tailrace.testkit.realwriters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program of the system, installed from its package if it is not there. */
record Tool(Path executable) {
    private static final long PATIENCE_SECONDS = 120;

    /** What a program has said in the end. */
    record Result(int status, String output) {}

    /** The program, by name; the test is skipped, with the reason, where it cannot be had. */
    static Tool of(String name, String debianPackage) throws IOException {
        Path found = find(name);
        if (found == null && "root".equals(System.getProperty("user.name")) && find("apt-get") != null) {
            synchronized (Tool.class) {
                new Tool(Path.of("apt-get")).run("update", "-q");
                new Tool(Path.of("env"))
                        .run("DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q", debianPackage);
            }
            found = find(name);
        }
        assumeThat(found)
                .as("%s, of the package %s, is not installed and cannot be", name, debianPackage)
                .isNotNull();
        return new Tool(java.util.Objects.requireNonNull(found));
    }

    private static @org.jspecify.annotations.Nullable Path find(String name) {
        for (String folder : (System.getenv("PATH") + ":/usr/sbin:/sbin").split(":")) {
            Path candidate = Path.of(folder, name);
            if (Files.isExecutable(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    Process start(Path folder, String... arguments) throws IOException {
        var command = new java.util.ArrayList<String>(List.of(executable.toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }

    Result run(String... arguments) throws IOException {
        Process process = start(Path.of("/"), arguments);
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(await(process), output);
    }

    /** Runs it, and expects it to say nothing and to succeed. */
    void runQuietly(String... arguments) throws IOException {
        Result result = run(arguments);
        assertThat(result).as(executable + " " + List.of(arguments)).isEqualTo(new Result(0, ""));
    }

    static int await(Process process) {
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
