package tailrace.sink.gcs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tailrace.testkit.FakeGcs;

/** The server of the tests, and a way to look into it that is not the sink's. */
final class GcsServer implements AutoCloseable {
    static final String BUCKET = "bucket";

    private static final Pattern NAME = Pattern.compile("\"name\":\"((?:[^\"\\\\]|\\\\.)*)\"");

    private final FakeGcs server;
    private final HttpClient client = HttpClient.newHttpClient();

    GcsServer(Path folder) throws IOException {
        server = new FakeGcs(folder);
        post("/storage/v1/b?project=test", "application/json", ("{\"name\":\"" + BUCKET + "\"}").getBytes(UTF_8));
    }

    int port() {
        return server.port();
    }

    static Map<String, Object> settings(int port) {
        return Map.of("bucket", BUCKET, "endpoint", "http://127.0.0.1:" + port, "anonymous", true);
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
    }

    private byte[] send(HttpRequest.Builder request) throws IOException {
        try {
            HttpResponse<byte[]> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            if (answer.statusCode() != 200) {
                throw new IOException(answer + " " + new String(answer.body(), UTF_8));
            }
            return answer.body();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void post(String path, String type, byte[] body) throws IOException {
        send(request(path).header("Content-Type", type).POST(HttpRequest.BodyPublishers.ofByteArray(body)));
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }

    void put(String key, byte[] content) throws IOException {
        post("/upload/storage/v1/b/" + BUCKET + "/o?uploadType=media&name=" + escaped(key), "text/plain", content);
    }

    /** What is said of an object. */
    String metadata(String key) throws IOException {
        return new String(send(request("/storage/v1/b/" + BUCKET + "/o/" + escaped(key))), UTF_8);
    }

    Map<String, byte[]> objects(String beginning) throws IOException {
        var objects = new TreeMap<String, byte[]>();
        String list = new String(
                send(request("/storage/v1/b/" + BUCKET + "/o?fields=items(name)&prefix=" + escaped(beginning))), UTF_8);
        Matcher name = NAME.matcher(list);
        while (name.find()) {
            String key = name.group(1).replace("\\u0026", "&");
            if (key.startsWith(beginning)) {
                objects.put(key, send(request("/storage/v1/b/" + BUCKET + "/o/" + escaped(key) + "?alt=media")));
            }
        }
        return objects;
    }

    @Override
    public void close() {
        client.shutdownNow();
        server.close();
    }
}
