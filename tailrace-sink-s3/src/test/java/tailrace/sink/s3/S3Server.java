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

    private final S3Mock mock;
    private final S3Client client;

    S3Server(Path folder) throws IOException {
        mock = new S3Mock(folder, Path.of("target/servers/s3mock.jar"), BUCKET);
        client = S3Client.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + mock.port()))
                .region(Region.US_EAST_1)
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .forcePathStyle(true)
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build();
    }

    int port() {
        return mock.port();
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
        mock.close();
    }
}
