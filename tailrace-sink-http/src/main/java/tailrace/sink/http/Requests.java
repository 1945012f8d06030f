package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.RetryAfter;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.deliver.Tls;
import tailrace.core.deliver.Unreached;

/** Sends requests to one URL with credentials, and tells what their failures mean. */
final class Requests implements AutoCloseable {
    private static final int FIRST_SUCCESS = 200;
    private static final int FIRST_REDIRECT = 300;
    private static final int FIRST_CLIENT_ERROR = 400;
    private static final int FIRST_SERVER_ERROR = 500;
    private static final int MOST_SAID = 300;
    private static final int MOST_ANSWER_BYTES = 1 << 20;

    private final URI url;
    private final SettingValues values;

    /** Made when it is first needed: certificates may come later. */
    private @Nullable HttpClient client;

    Requests(URI url, SettingValues values) {
        this.url = url;
        this.values = values;
    }

    private synchronized HttpClient client() throws IOException {
        HttpClient known = client;
        if (known == null) {
            HttpClient.Builder builder = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1) // a body of megabytes gains nothing from a shared connection
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .connectTimeout(values.duration("timeout"))
                    .executor(Executors.newCachedThreadPool(
                            Thread.ofPlatform().daemon().name("http-", 0).factory()));
            if (url.getScheme().equals("https")) {
                builder.sslContext(Tls.context(values));
            }
            values.optionalString("proxy").ifPresent(proxy -> {
                int colon = proxy.lastIndexOf(':');
                builder.proxy(ProxySelector.of(new InetSocketAddress(
                        proxy.substring(0, colon), Integer.parseInt(proxy.substring(colon + 1)))));
            });
            known = builder.build();
            client = known;
        }
        return known;
    }

    /** A request with everything but its method and body. */
    HttpRequest.Builder to(String contentType, String idempotencyKey) {
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .timeout(values.duration("timeout"))
                .header("Content-Type", contentType)
                .header("Idempotency-Key", idempotencyKey);
        values.optionalString("bearer_token").ifPresent(token -> request.header("Authorization", "Bearer " + token));
        values.optionalString("user")
                .ifPresent(user -> request.header(
                        "Authorization",
                        "Basic "
                                + Base64.getEncoder()
                                        .encodeToString((user + ":" + values.string("password")).getBytes(UTF_8))));
        for (String header : HttpSinkProvider.headers(values)) {
            int colon = header.indexOf(':');
            request.setHeader(
                    header.substring(0, colon).strip(),
                    header.substring(colon + 1).strip());
        }
        return request;
    }

    /**
     * Sends a request.
     *
     * @return the body of an answer of success
     */
    byte[] send(HttpRequest request) throws DeliveryException, SourceChangedException {
        try {
            HttpResponse<byte[]> answer = client().send(request, bounded());
            if (answer.statusCode() < FIRST_SUCCESS || answer.statusCode() >= FIRST_REDIRECT) {
                throw unwilling(answer);
            }
            return answer.body();
        } catch (IOException e) {
            throw unanswered(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DeliveryException.transientFailure(url + ": interrupted", e);
        }
    }

    private static HttpResponse.BodyHandler<byte[]> bounded() {
        return info ->
                HttpResponse.BodySubscribers.limiting(HttpResponse.BodySubscribers.ofByteArray(), MOST_ANSWER_BYTES);
    }

    private static String text(byte[] body) {
        return new String(body, 0, Math.min(body.length, MOST_SAID), UTF_8)
                .strip()
                .replaceAll("\\s+", " ");
    }

    private DeliveryException unwilling(HttpResponse<byte[]> answer) {
        int status = answer.statusCode();
        String text = text(answer.body());
        String said = url + " answered " + status + (text.isEmpty() ? "" : ": " + text);
        if (status >= FIRST_REDIRECT && status < FIRST_CLIENT_ERROR) {
            String to = answer.headers().firstValue("Location").orElse("somewhere else");
            return DeliveryException.refusal(said, "It redirects to " + to + ": correct the sink's url.");
        }
        if (status >= FIRST_SERVER_ERROR || List.of(408, 425, 429).contains(status)) {
            var cause = new IllegalStateException(said);
            return answer.headers()
                    .firstValue("Retry-After")
                    .map(RetryAfter::parse)
                    .map(after -> DeliveryException.transientFailure(said, after, cause))
                    .orElseGet(() -> DeliveryException.transientFailure(said, cause));
        }
        if (List.of(400, 413, 422).contains(status)) {
            return DeliveryException.rejection(
                    said,
                    status == 413
                            ? "Lower the route's batch.bytes, or the sink's request_bytes."
                            : "The server does not want this batch as it is.");
        }
        return DeliveryException.refusal(
                said,
                switch (status) {
                    case 401, 403 -> "Correct the sink's bearer_token, user and password, or headers.";
                    case 404, 405 -> "Correct the sink's url or method.";
                    case 415 -> "Correct the sink's content_type.";
                    default -> "The server does not want this batch as it is.";
                });
    }

    private DeliveryException unanswered(IOException e) throws SourceChangedException {
        var changed = SourceChangedException.behind(e);
        if (changed.isPresent()) {
            throw changed.get();
        }
        return DeliveryException.transientFailure(
                Unreached.explain(url.toString(), e)
                        .orElse(url + ": " + (e.getMessage() == null ? e.toString() : e.getMessage())
                                + ". Does it speak HTTP?"),
                e);
    }

    /** HEAD tells whether the server can be reached and trusted; what it thinks of a batch, only a batch can tell. */
    List<Finding> check() {
        try {
            HttpResponse<Void> answer = client().send(
                            HttpRequest.newBuilder(url)
                                    .timeout(values.duration("timeout"))
                                    .HEAD()
                                    .build(),
                            HttpResponse.BodyHandlers.discarding());
            return List.of(Finding.ok(url + " answers (" + answer.statusCode() + " to HEAD)"));
        } catch (IOException e) {
            return List.of(Finding.fail(
                    Unreached.explain(url.toString(), e).orElse(url + ": " + e + ". Does it speak HTTP?")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of(Finding.warn(url + ": interrupted"));
        }
    }

    @Override
    public synchronized void close() {
        HttpClient known = client;
        if (known != null) {
            known.shutdownNow();
        }
    }
}
