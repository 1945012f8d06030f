package tailrace.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.agent.instance.MetadataServer;

/** The end of an agent, asked for by those who end it. */
class DrainIT {
    @TempDir
    Path folder;

    private Path log;
    private int port;

    @BeforeEach
    void prepare() throws IOException {
        log = Files.createDirectory(folder.resolve("in")).resolve("a.log");
        Files.writeString(log, "one\n");
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
    }

    /** Nothing is due within an hour. */
    private AgentProcess agent(String drain) throws IOException {
        Path config = Files.writeString(folder.resolve("tailrace.yaml"), """
            state: %1$s/state
            sources: {app: {include: ['%1$s/in/*.log']}}
            sinks: {out: {type: file, path: '%1$s/out', layout: append}}
            routes: [{from: app, to: out, key: '{path}', batch: {age: 1h}}]
            admin: {listen: '127.0.0.1:%2$d'}
            drain: %3$s
            """.formatted(folder, port, drain));
        AgentProcess agent = AgentProcess.start(folder.resolve("output.txt"), "run", "--config", config.toString());
        agent.awaitThat("the admin server", () -> {
            try {
                return get("/status").body().contains("\"seen\":4");
            } catch (IOException e) {
                return false;
            }
        });
        return agent;
    }

    private HttpResponse<String> get(String path, String... headers) throws IOException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
            if (headers.length > 0) {
                request.headers(headers);
            }
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aPreStopHookWaitsUntilEverythingIsDelivered() throws IOException {
        AgentProcess agent = agent("{timeout: 20s}");
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        assertThat(get("/drain", "Origin", "http://example.org").statusCode())
                .as("from a page in a browser")
                .isEqualTo(403);
        assertThat(get("/drain?timeout=soon").statusCode()).isEqualTo(400);
        assertThat(folder.resolve("out/a.log")).doesNotExist();
        HttpResponse<String> answer = get("/drain");
        assertThat(answer.body()).isEqualTo("everything is delivered\n");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(agent.await()).isZero();
        assertThat(folder.resolve("out/a.log")).hasContent("one\n");
    }

    @Test
    void whoCannotDeliverSaysSoAndNamesTheRanges() throws IOException {
        AgentProcess agent = agent("{timeout: 20s}");
        Files.createDirectories(folder.resolve("out"));
        Files.createDirectory(folder.resolve("out/a.log")); // in the way
        HttpResponse<String> answer = get("/drain?timeout=500ms");
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("4 B are pending");
        assertThat(agent.await()).isEqualTo(ExitCode.PENDING);
        assertThat(agent.output()).contains("pending: " + log + " bytes [0, 4) for app>out");
        assertThat(folder.resolve("out/_tailrace/final")).isDirectoryContaining("glob:**.jsonl");
    }

    @Test
    void aNoticeOfTheProviderDeliversAtOnceAndTheAgentGoesOn() throws IOException {
        try (var provider = new MetadataServer()) {
            AgentProcess agent = agent("{notices: [aws], metadata_url: '" + provider.url() + "'}");
            assertThat(folder.resolve("out/a.log")).doesNotExist();
            provider.put(
                    "/latest/meta-data/spot/instance-action",
                    "{\"action\": \"terminate\", \"time\": \"2099-01-01T00:00:00Z\"}");
            agent.awaitThat("what was pending", () -> has("one\n"));
            Files.writeString(log, "two\n", StandardOpenOption.APPEND);
            agent.awaitThat("what came after that", () -> has("one\ntwo\n"));
            assertThat(agent.output()).contains("EC2 will terminate this spot instance at 2099-01-01T00:00:00Z");
            assertThat(agent.terminate()).isZero();
        }
    }

    private boolean has(String content) {
        try {
            Path file = folder.resolve("out/a.log");
            return Files.exists(file) && Files.readString(file).equals(content);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() throws IOException {
        try (var taken = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            Path config =
                    Files.writeString(folder.resolve("tailrace.yaml"), """
                        state: %1$s/state
                        sources: {app: {include: ['%1$s/in/*.log']}}
                        sinks: {out: {type: file, path: '%1$s/out'}}
                        routes: [{from: app, to: out}]
                        admin: {listen: '127.0.0.1:%2$d'}
                        """.formatted(folder, taken.getLocalPort()));
            AgentProcess.Result result = AgentProcess.run("run", "--config", config.toString());
            assertThat(result.exit()).isEqualTo(1);
            assertThat(result.output()).contains("cannot listen on 127.0.0.1:" + port + " (admin.listen)");
        }
    }
}
