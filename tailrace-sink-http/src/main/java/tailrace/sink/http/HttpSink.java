package tailrace.sink.http;

import java.net.http.HttpRequest;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.linux.LinuxException;

/**
 * {@code format: raw}. A request for each batch, of its bytes as they are. Its {@code Idempotency-Key} is the batch's id,
 * the same at each attempt: a server that remembers keys takes each batch once; for others the promise is at least once.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">Idempotency-Key</a>
 */
final class HttpSink implements Sink {
    private final Requests requests;
    private final SettingValues values;
    private final SinkProvider.Context context;

    HttpSink(Requests requests, SettingValues values, SinkProvider.Context context) {
        this.requests = requests;
        this.values = values;
        this.context = context;
    }

    @Override
    public SinkTraits traits() {
        return new SinkTraits(false, false, 0, values.integer("concurrency"));
    }

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        try {
            OptionalInt crc =
                    context.integrity() == Integrity.CRC32C ? OptionalInt.of(content.sum()) : OptionalInt.empty();
            if (content.lengthBytes() > 0) { // or else all is filtered out
                requests.send(request(batch, content, crc));
            }
            return new Receipt(0, crc);
        } catch (LinuxException e) {
            throw DeliveryException.transientFailure("cannot read the source: " + e.getMessage(), e);
        }
    }

    private HttpRequest request(Batch batch, BatchContent content, OptionalInt crc) {
        long length = content.lengthBytes();
        HttpRequest.Builder request = requests.to(
                        values.string("content_type"), batch.id().toString())
                .setHeader("Tailrace-Host", encoded(context.host()))
                .setHeader("Tailrace-Source", encoded(batch.route().source().name()))
                .method(
                        values.string("method"),
                        HttpRequest.BodyPublishers.fromPublisher(
                                HttpRequest.BodyPublishers.ofInputStream(() -> content.stream(0, length)), length));
        if (!batch.codec().isNone()) {
            request.setHeader("Content-Encoding", batch.codec().format().text());
        }
        crc.ifPresent(sum -> request.setHeader("Tailrace-CRC32C", HexFormat.of().toHexDigits(sum)));
        if (batch.extents().size() == 1) {
            Extent extent = batch.extents().getFirst();
            request.setHeader("Tailrace-File", encoded(extent.path().toString()));
            request.setHeader("Tailrace-Range", extent.epoch() + ":" + extent.from() + "-" + extent.to());
        }
        return request.build();
    }

    /** Headers are ASCII: anything else as in a URL. */
    private static String encoded(String text) {
        return text.chars().allMatch(c -> c > ' ' && c < 0x7F && c != '%')
                ? text
                : java.net.URLEncoder.encode(text, java.nio.charset.StandardCharsets.UTF_8)
                        .replace("+", "%20")
                        .replace("%2F", "/");
    }

    @Override
    public List<Finding> check() {
        return requests.check();
    }

    @Override
    public void close() {
        requests.close();
    }
}
