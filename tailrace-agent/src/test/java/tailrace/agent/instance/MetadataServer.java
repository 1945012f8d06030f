package tailrace.agent.instance;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A provider's metadata server, which wants of each request what theirs want. */
public final class MetadataServer implements AutoCloseable {
    private final HttpServer server;
    private final Map<String, String> values = new ConcurrentHashMap<>();
    private volatile String token = "first";

    public MetadataServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** What is found at a path, with its query. */
    public void put(String path, String value) {
        values.put(path, value);
    }

    /** From now on the token that was given is refused. */
    void forgetToken() {
        token = "second";
    }

    private void answer(HttpExchange request) throws IOException {
        try (request) {
            String path = request.getRequestURI().toString();
            if (request.getRequestMethod().equals("PUT") && path.equals("/latest/api/token")) {
                send(request, has(request, "X-aws-ec2-metadata-token-ttl-seconds", "21600") ? 200 : 400, token);
            } else if (path.startsWith("/latest/") && !has(request, "X-aws-ec2-metadata-token", token)) {
                send(request, 401, "");
            } else if (path.startsWith("/computeMetadata/") && !has(request, "Metadata-Flavor", "Google")) {
                send(request, 403, "");
            } else if (path.startsWith("/metadata/") && !has(request, "Metadata", "true")) {
                send(request, 400, "");
            } else {
                String value = values.get(path);
                send(request, value == null ? 404 : 200, value == null ? "" : value);
            }
        }
    }

    private static boolean has(HttpExchange request, String header, String value) {
        return value.equals(request.getRequestHeaders().getFirst(header));
    }

    private static void send(HttpExchange request, int status, String text) throws IOException {
        byte[] body = text.getBytes(UTF_8);
        request.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        request.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
