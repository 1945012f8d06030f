package tailrace.agent.instance;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;

/** Asks a server that is near, and answers at once if it is there at all. */
final class Metadata implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();

    HttpResponse<String> get(URI url, Map<String, String> headers) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(url).GET(), headers);
    }

    HttpResponse<String> put(URI url, Map<String, String> headers) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(url).PUT(HttpRequest.BodyPublishers.noBody()), headers);
    }

    private HttpResponse<String> send(HttpRequest.Builder request, Map<String, String> headers)
            throws IOException, InterruptedException {
        headers.forEach(request::header);
        return client.send(request.timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** The body of an answer that must be 200. */
    static String text(HttpResponse<String> answer) throws IOException {
        if (answer.statusCode() != 200) {
            throw new IOException(answer.uri() + " answered " + answer.statusCode());
        }
        return answer.body().strip();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
