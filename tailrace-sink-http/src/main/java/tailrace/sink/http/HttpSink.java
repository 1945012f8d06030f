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
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.RetryAfter;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.deliver.Unreached;
import tailrace.linux.LinuxException;

/**
 * A request for each batch. Its {@code Idempotency-Key} is the batch's id, the same at each attempt: a server that
 * remembers keys takes each batch once; for others the promise is at least once.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">Idempotency-Key</a>
 */
final class HttpSink implements Sink {
    private static final int FIRST_SUCCESS = 200;
    private static final int FIRST_REDIRECT = 300;
    private static final int FIRST_CLIENT_ERROR = 400;
    private static final int FIRST_SERVER_ERROR = 500;
    private static final int MOST_SAID = 300;

    private final URI url;
    private final SettingValues values;
    private final SinkProvider.Context context;

    /** Made when it is first needed: certificates may come later. */
    private @Nullable HttpClient client;

    HttpSink(URI url, SettingValues values, SinkProvider.Context context) {
        this.url = url;
        this.values = values;
        this.context = context;
    }

    @Override
    public SinkTraits traits() {
        return new SinkTraits(false, false, 0, values.integer("concurrency"));
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

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        try {
            OptionalInt crc =
                    context.integrity() == Integrity.CRC32C ? OptionalInt.of(content.sum()) : OptionalInt.empty();
            HttpResponse<String> answer = client().send(request(batch, content, crc), bounded());
            if (answer.statusCode() < FIRST_SUCCESS || answer.statusCode() >= FIRST_REDIRECT) {
                throw unwilling(answer);
            }
            return new Receipt(0, crc);
        } catch (LinuxException e) {
            throw DeliveryException.transientFailure("cannot read the source: " + e.getMessage(), e);
        } catch (IOException e) {
            throw unanswered(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DeliveryException.transientFailure(url + ": interrupted", e);
        }
    }

    private HttpRequest request(Batch batch, BatchContent content, OptionalInt crc) {
        long length = content.lengthBytes();
        HttpRequest.Builder request = HttpRequest.newBuilder(url)
                .timeout(values.duration("timeout"))
                .header("Content-Type", values.string("content_type"))
                .header("Idempotency-Key", batch.id().toString())
                .header("Tailrace-Host", encoded(context.host()))
                .header("Tailrace-Source", encoded(batch.route().source().name()))
                .method(
                        values.string("method"),
                        HttpRequest.BodyPublishers.fromPublisher(
                                HttpRequest.BodyPublishers.ofInputStream(() -> content.stream(0, length)), length));
        if (!batch.codec().isNone()) {
            request.header("Content-Encoding", batch.codec().format().text());
        }
        crc.ifPresent(sum -> request.header("Tailrace-CRC32C", HexFormat.of().toHexDigits(sum)));
        if (batch.extents().size() == 1) {
            Extent extent = batch.extents().getFirst();
            request.header("Tailrace-File", encoded(extent.path().toString()));
            request.header("Tailrace-Range", extent.epoch() + ":" + extent.from() + "-" + extent.to());
        }
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
        return request.build();
    }

    /** Headers are ASCII: anything else as in a URL. */
    private static String encoded(String text) {
        return text.chars().allMatch(c -> c > ' ' && c < 0x7F && c != '%')
                ? text
                : java.net.URLEncoder.encode(text, UTF_8).replace("+", "%20").replace("%2F", "/");
    }

    private static HttpResponse.BodyHandler<String> bounded() {
        return info -> HttpResponse.BodySubscribers.mapping(
                HttpResponse.BodySubscribers.limiting(HttpResponse.BodySubscribers.ofByteArray(), 1 << 20),
                bytes -> new String(bytes, 0, Math.min(bytes.length, MOST_SAID), UTF_8));
    }

    private DeliveryException unwilling(HttpResponse<String> answer) {
        int status = answer.statusCode();
        String said = url + " answered " + status
                + (answer.body().isBlank() ? "" : ": " + answer.body().strip().replaceAll("\\s+", " "));
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
        return DeliveryException.refusal(
                said,
                switch (status) {
                    case 401, 403 -> "Correct the sink's bearer_token, user and password, or headers.";
                    case 404, 405 -> "Correct the sink's url or method.";
                    case 413 -> "Lower the route's batch.bytes.";
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
    @Override
    public List<Finding> check() {
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
