package tailrace.sink.azure;

import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.util.BinaryData;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.common.StorageSharedKeyCredential;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import tailrace.testkit.Azurite;

/** The server of the tests, and a client that looks into it. */
final class AzureServer implements AutoCloseable {
    private static final String CONTAINER = "container";

    private final Azurite server;
    private final BlobContainerClient client;

    AzureServer(Path folder) throws IOException {
        server = new Azurite(folder);
        client = new BlobContainerClientBuilder()
                .endpoint(endpoint(server.port()))
                .containerName(CONTAINER)
                .credential(new StorageSharedKeyCredential(Azurite.ACCOUNT, Azurite.KEY))
                .httpClient(new JdkHttpClientBuilder().build())
                .buildClient();
        client.create();
    }

    private static String endpoint(int port) {
        return "http://127.0.0.1:" + port + "/" + Azurite.ACCOUNT;
    }

    int port() {
        return server.port();
    }

    BlobContainerClient client() {
        return client;
    }

    static Map<String, Object> settings(int port) {
        return Map.of(
                "account",
                Azurite.ACCOUNT,
                "account_key",
                Azurite.KEY,
                "container",
                CONTAINER,
                "endpoint",
                endpoint(port));
    }

    void put(String key, byte[] content) {
        client.getBlobClient(key).upload(BinaryData.fromBytes(content));
    }

    Map<String, byte[]> objects(String beginning) {
        var objects = new TreeMap<String, byte[]>();
        client.listBlobs(new ListBlobsOptions().setPrefix(beginning), null)
                .forEach(item -> objects.put(
                        item.getName(),
                        client.getBlobClient(item.getName()).downloadContent().toBytes()));
        return objects;
    }

    @Override
    public void close() {
        server.close();
    }
}
