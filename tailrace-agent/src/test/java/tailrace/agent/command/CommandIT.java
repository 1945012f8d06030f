package tailrace.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tailrace.agent.status.StatusJson;
import tailrace.core.engine.Status;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;

/** What a person types, as they type it. */
class CommandIT {
    private static final int LINE_BYTES = 100;

    @TempDir
    Path folder;

    private Path write(String name, int lines) throws IOException {
        Path file = folder.resolve("in").resolve(name);
        Files.createDirectories(file.getParent());
        try (var writer = new LineWriter(name.replace('/', '-'), LINE_BYTES, file)) {
            writer.write(lines);
        }
        return file;
    }

    private String[] ship(String... more) {
        var arguments = new java.util.ArrayList<>(List.of(
                "ship",
                "--include",
                folder + "/in/**/*.log",
                "--to",
                "file:" + folder + "/out",
                "--state",
                folder + "/state"));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    @Test
    void shipMirrorsAndGoesOnWhereItStopped() throws IOException {
        Path a = write("a.log", 100);
        Path b = write("deep/b.log", 100);
        AgentProcess.Result first = AgentProcess.run(ship());
        assertThat(first.exit()).as(first.output()).isZero();
        assertThat(folder.resolve("out/a.log")).hasSameBinaryContentAs(a);
        assertThat(folder.resolve("out/deep/b.log")).hasSameBinaryContentAs(b);

        AgentProcess.Result nothingNew = AgentProcess.run(ship());
        assertThat(nothingNew.output()).contains("in 0 batches");
        assertThat(folder.resolve("out/a.log")).hasSameBinaryContentAs(a);

        Files.writeString(a, "a partial line", java.nio.file.StandardOpenOption.APPEND);
        assertThat(AgentProcess.run(ship()).exit()).isZero();
        assertThat(folder.resolve("out/a.log")).hasSameBinaryContentAs(a);
        AgentProcess.Result audit = AgentProcess.run("audit", "--from", "file:" + folder + "/out", "--deep", "--json");
        assertThat(audit.exit()).isZero();
        assertThat(audit.output()).contains("\"proven\":true");
        AgentProcess.Result proof = AgentProcess.run("audit", "--from", "file:" + folder + "/out", "--proof");
        assertThat(proof.output())
                .contains(a + " epoch 0: bytes [0, " + a.toFile().length() + ") each once, in 2 extents")
                .contains(b + " epoch 0: bytes [0, " + b.toFile().length() + ") each once, in 1 extents");
    }

    @Test
    void anySettingOfTheSinkGoesOnTheCommandLine() throws IOException {
        write("a.log", 100);
        AgentProcess.Result shipped = AgentProcess.run(
                ship("--layout", "objects", "--set", "durability=none", "--set", "path=" + folder + "/out/b"));
        assertThat(shipped.exit()).as(shipped.output()).isZero();
        assertThat(new LineChecker()
                        .readFolder(folder.resolve("out/b"))
                        .tally(Map.of("a.log", 100L))
                        .isClean())
                .isTrue();

        AgentProcess.Result unknown = AgentProcess.run(ship("--set", "durabilty=none"));
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.output()).contains("durabilty").contains("durability");
        AgentProcess.Result type = AgentProcess.run(ship("--set", "type=tcp"));
        assertThat(type.exit()).isEqualTo(2);
        assertThat(type.output()).contains("the type of the sink is said by --to");
    }

    @Test
    void aLedgerFromABackupIsRefusedUntilItIsAdopted() throws IOException {
        Path a = write("a.log", 100);
        assertThat(AgentProcess.run(ship()).exit()).isZero();
        Path state = folder.resolve("state");
        Path backup = folder.resolve("backup");
        Files.move(state, backup);
        Files.createDirectory(state);
        try (var files = Files.list(backup)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, state.resolve(file.getFileName()));
            }
        }
        AgentProcess.Result refused = AgentProcess.run(ship());
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.output()).contains("is a copy").contains("tailrace ledger adopt --state " + state);
        AgentProcess.Result adopted = AgentProcess.run("ledger", "adopt", "--state", state.toString());
        assertThat(adopted.exit()).as(adopted.output()).isZero();
        assertThat(adopted.output()).contains("The ledger is adopted");
        assertThat(AgentProcess.run(ship()).exit()).isZero();
        assertThat(folder.resolve("out/a.log")).hasSameBinaryContentAs(a);
    }

    @Test
    void shipFollowsUntilItIsTold() throws IOException {
        write("a.log", 10);
        AgentProcess agent = AgentProcess.start(folder.resolve("output.txt"), ship("--follow", "--batch-age", "0ms"));
        Path mirrored = folder.resolve("out/a.log");
        agent.awaitThat("the first lines", () -> mirrored.toFile().length() == 10 * LINE_BYTES);
        try (var writer = new LineWriter("more", LINE_BYTES, folder.resolve("in/a.log"))) {
            writer.write(10);
        }
        agent.awaitThat("more lines", () -> mirrored.toFile().length() == 20 * LINE_BYTES);
        AgentProcess.Result status = AgentProcess.run("status", "--state", folder + "/state", "--json");
        Status books = StatusJson.read(status.output());
        assertThat(books.books().delivered()).isEqualTo(20 * LINE_BYTES);
        assertThat(AgentProcess.run("status", "--state", folder + "/state").output())
                .contains("running on");
        AgentProcess.Result second = AgentProcess.run(ship("--follow"));
        assertThat(second.exit()).isEqualTo(1);
        assertThat(second.output()).contains("in use by process");
        assertThat(agent.terminate()).isZero();
        assertThat(AgentProcess.run("status", "--state", folder + "/state").output())
                .contains("not running");
    }

    @Test
    void theLedgerCanBeReadByAPerson() throws IOException {
        write("a.log", 10);
        AgentProcess.run(ship());
        AgentProcess.Result dump = AgentProcess.run("ledger", "dump", "--state", folder + "/state");
        assertThat(dump.exit()).isZero();
        assertThat(dump.output()).contains("RunStarted[run=1").contains("a.log").contains("Delivered[");
        assertThat(AgentProcess.run("ledger", "dump", "--json", "--state", folder + "/state")
                        .output()
                        .lines())
                .allMatch(line -> line.startsWith("{\"type\":\"") && line.endsWith("}"))
                .anyMatch(line -> line.startsWith("{\"type\":\"Delivered\",\"run\":1,\"sequence\":1,\"position\":0,"));
    }

    @Test
    void auditNamesTheExactMissingRange() throws IOException {
        write("a.log", 100);
        AgentProcess.run(ship("--layout", "objects", "--batch-bytes", "2kB"));
        Path lost;
        try (var objects = Files.walk(folder.resolve("out"))) {
            lost = objects.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .skip(1)
                    .findFirst()
                    .orElseThrow();
        }
        Files.delete(lost);
        AgentProcess.Result audit = AgentProcess.run("audit", "--from", "file:" + folder + "/out");
        assertThat(audit.exit()).isEqualTo(1);
        assertThat(audit.output()).contains("PROBLEM: the object").contains("is missing");
    }

    @Test
    void doctorFindsThisMachineFitAndABadOneNot() throws IOException {
        Path config = folder.resolve("tailrace.yaml");
        Files.createDirectories(folder.resolve("in"));
        Files.writeString(folder.resolve("file"), "no folder");
        String yaml = """
            state: %1$s/state
            sources: {app: {include: ['%1$s/in/*.log']}}
            sinks: {archive: {type: file, path: %1$s/%2$s}}
            routes: [{from: app, to: archive}]
            """;
        Files.writeString(config, yaml.formatted(folder, "out"));
        AgentProcess.Result good = AgentProcess.run("doctor", "--config", config.toString());
        assertThat(good.exit()).as(good.output()).isZero();
        assertThat(good.output())
                .contains("source app")
                .contains("inotify watches")
                .doesNotContain("FAIL");
        Files.writeString(config, yaml.formatted(folder, "file/out"));
        assertThat(AgentProcess.run("doctor", "--json", "--config", config.toString())
                        .output())
                .startsWith("[{\"grade\":");
    }

    /** As where /tmp is mounted noexec. */
    @Test
    void aCodecThatCannotBeLoadedIsToldWithItsRemedy() throws IOException {
        write("a.log", 1);
        Path config = Files.writeString(folder.resolve("compress.yaml"), """
            state: %1$s/state
            sources: {app: {include: ['%1$s/in/*.log']}}
            sinks: {out: {type: file, path: '%1$s/out'}}
            routes: [{from: app, to: out, compress: zstd}]
            drain: {timeout: 1s}
            """.formatted(folder));
        var options = List.of("-Djava.io.tmpdir=" + folder + "/none");
        String told = "the library of zstd cannot be loaded from " + folder + "/none";

        AgentProcess doctor =
                AgentProcess.startWith(options, folder.resolve("doctor.txt"), "doctor", "--config", config.toString());
        assertThat(doctor.await()).isEqualTo(ExitCode.FAILED);
        assertThat(doctor.output()).contains("FAIL").contains(told).contains("TAILRACE_JAVA_OPTIONS=-Djava.io.tmpdir");

        AgentProcess agent =
                AgentProcess.startWith(options, folder.resolve("run.txt"), "run", "--config", config.toString());
        agent.awaitOutput(told);
        assertThat(agent.terminate()).isEqualTo(ExitCode.PENDING);
        assertThat(agent.output())
                .contains("TAILRACE_JAVA_OPTIONS=-Djava.io.tmpdir")
                .doesNotContain("BUG");
    }

    @Test
    void aWrongCommandLineIsToldInWords() throws IOException {
        assertThat(AgentProcess.run().exit()).isEqualTo(2);
        AgentProcess.Result unknown = AgentProcess.run("shipp");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.output()).contains("ship");
        AgentProcess.Result nowhere = AgentProcess.run("ship", "--include", "/x/*", "--to", "ftp://x");
        assertThat(nowhere.exit()).isEqualTo(2);
        assertThat(nowhere.output()).contains("--to is " + Destination.FORMS + ", not 'ftp://x'");
        AgentProcess.Result missing = AgentProcess.run("run", "--config", "/nowhere.yaml");
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.output()).contains("/nowhere.yaml cannot be used").contains("no such file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "ship", "run", "validate", "status", "doctor", "ledger", "audit"})
    void everyCommandExplainsItself(String command) throws IOException {
        AgentProcess.Result help = AgentProcess.run(command, "--help");
        assertThat(help.exit()).isZero();
        assertThat(help.output()).contains("Usage: tailrace " + command);
    }

    @Test
    void theDemoBalancesItsBooks() throws IOException {
        AgentProcess.Result demo = AgentProcess.run(
                "demo", "--seconds", "3", "--folder", folder.resolve("demo").toString());
        assertThat(demo.exit()).as(demo.output()).isZero();
        assertThat(demo.output()).contains("lost       0").contains("duplicated 0");
    }

    @Test
    void theLauncherWorksFromAnywhereThroughLinksAndSpaces() throws Exception {
        Path home = Files.createDirectories(folder.resolve("a home/with spaces"));
        Path root = Path.of(System.getProperty("tailrace.target"), "..", "..");
        Files.copy(
                root.resolve("tailrace"), home.resolve("tailrace"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        Path target = Files.createDirectories(home.resolve("tailrace-agent/target"));
        Files.createSymbolicLink(target.resolve("lib"), Path.of(System.getProperty("tailrace.target"), "lib"));
        Path jar = Path.of(System.getProperty("tailrace.jar"));
        Files.createSymbolicLink(target.resolve(jar.getFileName()), jar);
        Path link = Files.createSymbolicLink(folder.resolve("link"), home.resolve("tailrace"));

        assertThat(launch(link, Map.of(), "--version")).startsWith("tailrace ");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        assertThat(launch(link, Map.of("TAILRACE_JAVA_HOME", empty.toString()), "--version"))
                .as("a wrong TAILRACE_JAVA_HOME is passed over")
                .startsWith("tailrace ");
    }

    private String launch(Path launcher, Map<String, String> environment, String argument) throws Exception {
        var builder = new ProcessBuilder(launcher.toString(), argument)
                .directory(Path.of("/").toFile());
        builder.environment().putAll(environment);
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    @Test
    void aDeadDestinationHoldsUpNoOtherRoute() throws IOException {
        write("a.log", 1000);
        Path config = folder.resolve("tailrace.yaml");
        Files.writeString(config, """
            state: %1$s/state
            sources: {app: {include: ['%1$s/in/*.log']}}
            sinks:
              dead: {type: tcp, host: 127.0.0.1, port: 1}
              archive: {type: file, path: %1$s/out}
            routes:
              - {from: app, to: dead, batch: {age: 10ms, bytes: 1kB}}
              - {from: app, to: archive, batch: {age: 10ms, bytes: 1kB}}
            drain: {timeout: 300ms}
            """.formatted(folder));
        AgentProcess agent = AgentProcess.start(folder.resolve("output.txt"), "run", "--config", config.toString());
        agent.awaitOutput("Is the receiver running");
        AgentProcess.Result status = AgentProcess.run("status", "--config", config.toString(), "--json");
        assertThat(agent.terminate()).as("bytes remain for the dead one").isEqualTo(75);
        assertThat(new LineChecker()
                        .readFolder(folder.resolve("out"))
                        .tally(Map.of("a.log", 1000L))
                        .isClean())
                .as(status.output())
                .isTrue();
    }

    @Test
    void linesOfManyFilesArriveInObjectsOnce() throws IOException {
        var written = new java.util.HashMap<String, Long>();
        for (int i = 0; i < 200; i++) {
            write("f" + i + ".log", 20);
            written.put("f" + i + ".log", 20L);
        }
        assertThat(AgentProcess.run(ship("--layout", "objects")).exit()).isZero();
        assertThat(new LineChecker()
                        .readFolder(folder.resolve("out"))
                        .tally(written)
                        .isClean())
                .isTrue();
    }

    /** Their libraries are modules here, unlike in tests of their own: what is missing there would only be seen by users. */
    @Test
    void theClientsOfAllStoresRunAsModules() throws IOException {
        write("a.log", 1);
        Path config = Files.writeString(folder.resolve("stores.yaml"), """
            state: %1$s/state
            sources: {app: {include: ['%1$s/in/*.log']}}
            sinks:
              g: {type: gcs, bucket: b, endpoint: 'http://127.0.0.1:1', credentials_file: '%1$s/none.json'}
              g2: {type: gcs, bucket: b, endpoint: 'http://127.0.0.1:1', anonymous: true}
              a: {type: azure, account: me, container: c, account_key: 'a2V5', endpoint: 'http://127.0.0.1:1/me'}
              s: {type: s3, bucket: b, endpoint: 'http://127.0.0.1:1', access_key_id: me, secret_access_key: x}
              k: {type: kafka, brokers: '127.0.0.1:1', topic: t}
              o: {type: otlp, url: 'http://127.0.0.1:1'}
            routes:
              - {from: app, to: g}
              - {from: app, to: g2}
              - {from: app, to: a}
              - {from: app, to: s}
              - {from: app, to: k}
              - {from: app, to: o}
            """.formatted(folder));
        AgentProcess.Result result = AgentProcess.run("doctor", "--config", config.toString());
        assertThat(result.output())
                .contains("sink g: gs://b/: no credentials: " + folder + "/none.json")
                .doesNotContain("should not have happened");
        for (String sink : List.of("g2", "a", "s", "k", "o")) {
            assertThat(result.output()).containsPattern("FAIL +sink " + sink + ": .*127.0.0.1:1");
        }
    }
}
