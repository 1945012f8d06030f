package tailrace.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
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

    private Path configuration(String keys) throws IOException {
        return Files.writeString(folder.resolve("tailrace.yaml"), """
            state: %s/state
            sources:
              app: {include: ['%s/in/*.log']}
            sinks:
              archive:
                type: s3
                bucket: bucket
                prefix: logs
                endpoint: http://127.0.0.1:%d
                %s
            routes:
              - {from: app, to: archive, batch: {bytes: 64KiB, age: 100ms}}
            """.formatted(folder, folder, server.port(), keys));
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
        Path config = configuration(KEYS);
        assertThat(AgentProcess.run("validate", "--config", config.toString()).exit())
                .isZero();
        AgentProcess.Result doctor = AgentProcess.run("doctor", "--config", config.toString());
        assertThat(doctor.output())
                .contains("sink archive: objects can be created in s3://bucket/logs/")
                .contains("sink archive: and are not overwritten");
        AgentProcess agent = AgentProcess.start(folder.resolve("output.txt"), "run", "--config", config.toString());
        agent.awaitThat("everything is delivered", () -> statusOf(config).contains("\"delivered\":200000"));
        assertThat(agent.terminate()).isZero();

        var checker = new LineChecker();
        Matcher keys = KEY.matcher(get("/bucket?list-type=2&prefix=logs/app"));
        var found = new ArrayList<String>();
        while (keys.find()) {
            found.add(keys.group(1));
            checker.read(new java.io.ByteArrayInputStream(
                    get("/bucket/" + keys.group(1)).getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)));
        }
        assertThat(found).hasSizeGreaterThan(2);
        assertThat(checker.tally(Map.of("app", 2000L))).isEqualTo(new LineChecker.Tally(2000, 2000, 0, 0, 0));
    }

    @Test
    void withoutCredentialsDoctorSaysWhereTheyAreSought() throws IOException {
        AgentProcess.Result doctor = AgentProcess.run(
                "doctor", "--config", configuration("profile: nobody").toString());
        assertThat(doctor.exit()).isEqualTo(1);
        assertThat(doctor.output()).contains("no credentials").contains("AWS_ACCESS_KEY_ID");
    }
}
