package tailrace.sink.gcs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.store.Base64Crc;
import tailrace.core.store.ObjectStore;
import tailrace.linux.LinuxPath;

/**
 * A bucket of Google Cloud Storage, by its JSON API. {@code ifGenerationMatch=0} makes it refuse a key that exists; it
 * checks the CRC32C that comes with the metadata before an object is there.
 *
 * @see <a href="https://cloud.google.com/storage/docs/json_api/v1/objects/insert">Objects: insert</a>
 */
final class GcsStore implements ObjectStore {
    /** <a href="https://cloud.google.com/storage/quotas">Quotas</a>. */
    private static final long MOST_BYTES = 5L << 40;

    private static final String BOUNDARY = "tailrace-part-5fQ0b7cN2d";
    private static final String CREATE_ONLY = "ifGenerationMatch=0";

    private final Api api;
    private final Objects objects;
    private final ResumableUploads uploads;
    private final long partBytes;

    /** Of the last answer about a small object. */
    private volatile Optional<String> date = Optional.empty();

    GcsStore(SettingValues values) {
        this.objects = Objects.of(values);
        this.api = new Api(values, objects.name());
        this.partBytes = values.sizeBytes("part_bytes");
        this.uploads = new ResumableUploads(api, objects, partBytes);
    }

    @Override
    public String name() {
        return objects.name();
    }

    @Override
    public long partBytes() {
        return partBytes;
    }

    @Override
    public long mostBytes() {
        return MOST_BYTES;
    }

    @Override
    public boolean isCreateOnly() {
        return true;
    }

    @Override
    public boolean create(LinuxPath key, String batch, BatchContent content, Optional<BatchContent.Sums> sums)
            throws DeliveryException, SourceChangedException {
        byte[] metadata = objects.metadata(key, Optional.of(batch), sums.map(all -> Base64Crc.text(all.whole())));
        if (content.lengthBytes() / 2 >= partBytes) {
            return uploads.create(batch, metadata, content);
        }
        long length = content.lengthBytes();
        return create(metadata, length, () -> content.stream(0, length)).statusCode() != Api.PRECONDITION_FAILED;
    }

    @Override
    public boolean create(LinuxPath key, byte[] bytes) throws DeliveryException {
        byte[] metadata = objects.metadata(key, Optional.empty(), Optional.empty());
        try {
            HttpResponse<String> answer = create(metadata, bytes.length, () -> new ByteArrayInputStream(bytes));
            date = answer.headers().firstValue("Date");
            return answer.statusCode() != Api.PRECONDITION_FAILED;
        } catch (SourceChangedException e) {
            throw new IllegalStateException("there are no files", e);
        }
    }

    /** Metadata and bytes in one request: either both arrive, or nothing is there. */
    private HttpResponse<String> create(byte[] metadata, long length, Supplier<InputStream> content)
            throws DeliveryException, SourceChangedException {
        byte[] head = ("--" + BOUNDARY + "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n"
                        + new String(metadata, UTF_8) + "\r\n--" + BOUNDARY
                        + "\r\nContent-Type: application/octet-stream\r\n\r\n")
                .getBytes(UTF_8);
        byte[] tail = ("\r\n--" + BOUNDARY + "--\r\n").getBytes(UTF_8);
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.fromPublisher(
                HttpRequest.BodyPublishers.ofInputStream(() -> new SequenceInputStream(Collections.enumeration(
                        List.of(new ByteArrayInputStream(head), content.get(), new ByteArrayInputStream(tail))))),
                head.length + length + tail.length);
        URI url = objects.upload("uploadType=multipart&" + CREATE_ONLY);
        return api.send(
                HttpRequest.newBuilder(url)
                        .header("Content-Type", "multipart/related; boundary=" + BOUNDARY)
                        .POST(body),
                HttpResponse.BodyHandlers.ofString(),
                Api.PRECONDITION_FAILED);
    }

    @Override
    public Optional<Found> find(LinuxPath key) throws DeliveryException {
        HttpResponse<String> answer =
                get(objects.object(key, "fields=size,crc32c"), HttpResponse.BodyHandlers.ofString(), Api.NOT_FOUND);
        if (answer.statusCode() == Api.NOT_FOUND) {
            return Optional.empty();
        }
        Listing found = Listing.of(answer.body());
        return Optional.of(new Found(
                Long.parseLong(found.text("size")),
                found.has("crc32c") ? OptionalInt.of(Base64Crc.number(found.text("crc32c"))) : OptionalInt.empty()));
    }

    @Override
    public List<LinuxPath> list(String beginning) throws DeliveryException {
        var keys = new ArrayList<LinuxPath>();
        String page = "";
        do {
            Listing listing = Listing.of(get(objects.list(beginning, page), HttpResponse.BodyHandlers.ofString())
                    .body());
            listing.names().forEach(name -> keys.add(objects.keyOf(name)));
            page = listing.text("nextPageToken");
        } while (!page.isEmpty());
        return keys;
    }

    @Override
    public InputStream read(LinuxPath key, long from, long to) throws DeliveryException {
        HttpRequest.Builder request = HttpRequest.newBuilder(objects.object(key, "alt=media"));
        if (from > 0 || to < Long.MAX_VALUE) {
            request.header("Range", "bytes=" + from + "-" + (to - 1));
        }
        try {
            return api.send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
        } catch (SourceChangedException e) {
            throw new IllegalStateException("nothing is sent", e);
        }
    }

    private <T> HttpResponse<T> get(URI url, HttpResponse.BodyHandler<T> handler, int... expected)
            throws DeliveryException {
        try {
            return api.send(HttpRequest.newBuilder(url), handler, expected);
        } catch (SourceChangedException e) {
            throw new IllegalStateException("nothing is sent", e);
        }
    }

    @Override
    public Optional<String> date() {
        return date;
    }

    @Override
    public void close() {
        api.close();
    }
}
