package tailrace.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.S3Mock;

/** The packaged agent and an S3 server. */
class S3IT {
    private static final int KILLS = 8;
    private static final Pattern KEY = Pattern.compile("<Key>([^<]*)</Key>");

    @TempDir
    static Path servers;

    private static S3Mock server;

    @TempDir
    Path folder;

    @BeforeAll
    static void startServer() throws IOException {
        server = new S3Mock(servers, Path.of("target/servers/s3mock.jar"), "bucket");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static String get(String path) throws IOException, InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }
    }

    private Path configuration(String keys, String prefix) throws IOException {
        return Files.writeString(
                folder.resolve("tailrace.yaml"), """
                    state: %s/state
                    sources:
                      app: {include: ['%s/in/*.log']}
                    sinks:
                      archive:
                        type: s3
                        bucket: bucket
                        prefix: %s
                        endpoint: http://127.0.0.1:%d
                        %s
                    routes:
                      - {from: app, to: archive, batch: {bytes: 64KiB, age: 100ms}}
                    """.formatted(folder, folder, prefix, server.port(), keys));
    }

    private static String statusOf(Path config) {
        try {
            return AgentProcess.run("status", "--config", config.toString(), "--json")
                    .output();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static final String KEYS = "access_key_id: me\n    secret_access_key: secret";

    @Test
    void whatIsShippedIsThereOnce() throws IOException, InterruptedException {
        Path in = Files.createDirectory(folder.resolve("in"));
        try (var writer = new LineWriter("app", 100, in.resolve("app.log"))) {
            writer.write(2000);
        }
        Path config = configuration(KEYS, "logs");
        assertThat(AgentProcess.run("validate", "--config", config.toString()).exit())
                .isZero();
        AgentProcess.Result doctor = AgentProcess.run("doctor", "--config", config.toString());
        assertThat(doctor.output())
                .contains("sink archive: objects can be created in s3://bucket/logs/")
                .contains("sink archive: and are not overwritten");
        AgentProcess agent = AgentProcess.start(folder.resolve("output.txt"), "run", "--config", config.toString());
        agent.awaitThat("everything is delivered", () -> statusOf(config).contains("\"delivered\":200000"));
        assertThat(agent.terminate()).isZero();

        assertThat(keysBelow("logs/app")).hasSizeGreaterThan(2);
        assertThat(arrived("logs/app", Map.of("app", 2000L))).isEqualTo(new LineChecker.Tally(2000, 2000, 0, 0, 0));
        AgentProcess.Result audit = AgentProcess.run("audit", "--config", config.toString(), "--deep", "--proof");
        assertThat(audit.exit()).as(audit.output()).isZero();
        assertThat(audit.output())
                .contains("app.log epoch 0: bytes [0, 200000) each once")
                .contains("proven: s3://bucket/logs/ holds");
    }

    private static List<String> keysBelow(String prefix) throws IOException, InterruptedException {
        var keys = new ArrayList<String>();
        int before = -1;
        while (keys.size() > before) { // a list has at most 1000
            before = keys.size();
            String after = keys.isEmpty() ? "" : "&start-after=" + keys.getLast();
            Matcher found = KEY.matcher(get("/bucket?list-type=2&prefix=" + prefix + after));
            while (found.find()) {
                keys.add(found.group(1));
            }
        }
        return keys;
    }

    private static LineChecker.Tally arrived(String prefix, Map<String, Long> written)
            throws IOException, InterruptedException {
        var checker = new LineChecker();
        for (String key : keysBelow(prefix)) {
            checker.read(new ByteArrayInputStream(get("/bucket/" + key).getBytes(StandardCharsets.ISO_8859_1)));
        }
        return checker.tally(written);
    }

    @Test
    void killsUnderLoadLoseNothingAndDoubleNothing() throws IOException, InterruptedException {
        Path in = Files.createDirectory(folder.resolve("in"));
        Path config = configuration(KEYS, "crash");
        var random = new SplittableRandom();
        long written;
        try (var writer = new LineWriter("app", 100, in.resolve("app.log"))) {
            for (int i = 0; i < KILLS; i++) {
                AgentProcess agent =
                        AgentProcess.start(folder.resolve("output.txt"), "run", "--config", config.toString());
                long until = System.nanoTime() + random.nextLong(500_000_000, 2_500_000_000L);
                while (System.nanoTime() < until) {
                    writer.write(20);
                    LockSupport.parkNanos(2_000_000);
                }
                agent.kill();
            }
            written = writer.written();
        }
        AgentProcess agent = AgentProcess.start(folder.resolve("output.txt"), "run", "--config", config.toString());
        agent.awaitThat("everything is delivered", () -> statusOf(config).contains("\"delivered\":" + written * 100));
        assertThat(agent.terminate()).isZero();
        assertThat(arrived("crash/app", Map.of("app", written)))
                .isEqualTo(new LineChecker.Tally(written, written, 0, 0, 0));
        AgentProcess.Result audit = AgentProcess.run("audit", "--config", config.toString());
        assertThat(audit.exit()).as(audit.output()).isZero();
        assertThat(audit.output()).as("nothing but what was asked for").startsWith("proven: ");
        System.out.println(KILLS + " kills survived: " + audit.output().strip());
    }

    @Test
    void withoutCredentialsDoctorSaysWhereTheyAreSought() throws IOException {
        AgentProcess.Result doctor = AgentProcess.run(
                "doctor", "--config", configuration("profile: nobody", "none").toString());
        assertThat(doctor.exit()).isEqualTo(1);
        assertThat(doctor.output()).contains("no credentials").contains("AWS_ACCESS_KEY_ID");
    }
}
