package tailrace.sink.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.testkit.Certificates;
import tailrace.testkit.RunningEngine;
import tailrace.testkit.S3Proxy;
import tailrace.testkit.Sinks;

/** Against S3Proxy, which knows conditional writes and TLS, and no checksums. */
class S3ProxySinkTest extends S3Contract {
    @TempDir
    static Path servers;

    private static Certificates certificates;
    private static S3Proxy proxy;
    private static S3Server server;

    @BeforeAll
    static void startServer() throws IOException {
        certificates = new Certificates(servers);
        Path keys = certificates.keyStore("server", "-ext", "san=ip:127.0.0.1");
        proxy = new S3Proxy(servers, Path.of("../build/s3proxy/target/lib"), keys);
        server = new S3Server(proxy, proxy.port());
        server.client().createBucket(r -> r.bucket(S3Server.BUCKET));
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @Override
    S3Server server() {
        return server;
    }

    private Map<String, Object> overTls(String host, String trusted) {
        return Map.of(
                "endpoint",
                "https://" + host + ":" + proxy.tlsPort(),
                "ca_file",
                servers.resolve(trusted + ".pem").toString());
    }

    @Test
    void everyLineArrivesOnceOverTls() throws IOException {
        long bytes = write("one", 3000);
        try (RunningEngine engine = plan(port(), overTls("127.0.0.1", "server")).start()) {
            engine.awaitDelivered(bytes);
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
            assertThat(engine.count(Event.DELIVERY_FAILED)).isZero();
        }
        long arrived =
                data().values().stream().mapToLong(object -> object.length).sum();
        assertThat(arrived).isEqualTo(bytes);
    }

    private String complaint(Map<String, Object> more) throws IOException {
        var all = new java.util.HashMap<>(settings(port()));
        all.putAll(more);
        return Sinks.complaint(folder, "s3", all, Event.DELIVERY_FAILED);
    }

    @Test
    void aServerOfAnotherNameAndOneOfNobodyAreNotTrusted() throws IOException {
        certificates.keyStore("stranger");
        assertThat(complaint(overTls("localhost", "server")))
                .contains("s3://bucket at https://localhost:")
                .contains("no secure connection")
                .contains("must be valid for the server's name");
        assertThat(complaint(overTls("127.0.0.1", "stranger"))).contains("its issuer trusted");
        assertThat(complaint(overTls("127.0.0.1", "nobody"))).contains("nobody.pem");
    }
}
