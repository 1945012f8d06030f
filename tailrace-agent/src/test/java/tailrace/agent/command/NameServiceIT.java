package tailrace.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.testkit.BatchReceiver;

/** The names of servers cannot be resolved for a while. */
class NameServiceIT {
    @TempDir
    Path folder;

    @Test
    void deliveriesGoOnWhenTheNamesAreBack() throws IOException {
        Path log = Files.createDirectory(folder.resolve("in")).resolve("a.log");
        Files.writeString(log, "one\n");
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.1 localhost\n");
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/", request -> {
            request.getRequestBody().readAllBytes();
            request.sendResponseHeaders(200, -1);
            request.close();
        });
        http.start();
        try (var receiver = new BatchReceiver()) {
            Path config = Files.writeString(folder.resolve("tailrace.yaml"), """
                state: %1$s/state
                sources: {app: {include: ['%1$s/in/*.log']}}
                sinks:
                  web: {type: http, url: 'http://web.test:%2$d/'}
                  peer: {type: tcp, host: peer.test, port: %3$d}
                routes: [{from: app, to: web, batch: {age: 10ms}}, {from: app, to: peer, batch: {age: 10ms}}]
                """.formatted(
                            folder, http.getAddress().getPort(), receiver.port()));
            // the JVM remembers for ten seconds that there is no such name
            AgentProcess agent = AgentProcess.startWith(
                    List.of("-Djdk.net.hosts.file=" + hosts, "-Dsun.net.inetaddr.negative.ttl=1"),
                    folder.resolve("output.txt"),
                    "run",
                    "--config",
                    config.toString());
            agent.awaitOutput("web.test:" + http.getAddress().getPort() + "/: the name cannot be resolved");
            agent.awaitOutput("the host peer.test is unknown");
            Files.writeString(hosts, "127.0.0.1 web.test peer.test\n");
            agent.awaitOutput("app>web: after");
            agent.awaitOutput("app>peer: after");
            assertThat(agent.terminate()).isZero();
        } finally {
            http.stop(0);
        }
    }
}
