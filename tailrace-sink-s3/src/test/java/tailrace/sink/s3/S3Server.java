package tailrace.sink.s3;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import tailrace.testkit.S3Mock;

/** The S3 server of the tests, and a client that looks into it. */
final class S3Server implements AutoCloseable {
    static final String BUCKET = "bucket";

    private final AutoCloseable server;
    private final int port;
    private final S3Client client;

    /** Adobe's S3Mock. */
    static S3Server mock(Path folder) throws IOException {
        var mock = new S3Mock(folder, Path.of("target/servers/s3mock.jar"), BUCKET);
        return new S3Server(mock, mock.port());
    }

    /** Takes the server over, and closes it. */
    S3Server(AutoCloseable server, int port) {
        this.server = server;
        this.port = port;
        client = S3Client.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + port))
                .region(Region.US_EAST_1)
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .forcePathStyle(true)
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build();
    }

    int port() {
        return port;
    }

    S3Client client() {
        return client;
    }

    /** The settings of a sink that goes to this server, or to a proxy before it. */
    static Map<String, Object> settings(int port) {
        return Map.of(
                "bucket",
                BUCKET,
                "endpoint",
                "http://127.0.0.1:" + port,
                "access_key_id",
                "me",
                "secret_access_key",
                "secret");
    }

    /** All objects below a prefix, by key. */
    Map<String, byte[]> objects(String prefix) {
        var objects = new TreeMap<String, byte[]>();
        client.listObjectsV2Paginator(r -> r.bucket(BUCKET).prefix(prefix))
                .contents()
                .forEach(object -> objects.put(
                        object.key(),
                        client.getObject(r -> r.bucket(BUCKET).key(object.key()), ResponseTransformer.toBytes())
                                .asByteArray()));
        return objects;
    }

    @Override
    public void close() {
        client.close();
        try {
            server.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
