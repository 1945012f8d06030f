package tailrace.sink.s3;

import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.store.Base64Crc;
import tailrace.core.store.ObjectStore;
import tailrace.linux.LinuxPath;

/**
 * A bucket of S3, or of a server that speaks its protocol. {@code If-None-Match: *} makes it refuse a key that exists; it
 * checks the CRC32C that is sent with the bytes.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html">Conditional writes</a>
 */
final class S3Store implements ObjectStore {
    private final SettingValues values;
    private final ObjectForm form;
    private final Failures failures;
    private final Multipart multipart;

    /** Of the last answer about a small object. */
    private volatile Optional<String> date = Optional.empty();

    /** Made when it is first needed: credentials and region may come later. */
    private @Nullable S3Client client;

    S3Store(SettingValues values) {
        this.values = values;
        this.form = ObjectForm.of(values);
        this.failures = new Failures("s3://" + form.bucket()
                + values.optionalString("endpoint").map(url -> " at " + url).orElse(""));
        this.multipart = new Multipart(form, partBytes(), values.integer("part_concurrency"));
    }

    private synchronized S3Client client() {
        S3Client known = client;
        if (known == null) {
            known = Clients.client(values);
            client = known;
        }
        return known;
    }

    @Override
    public String name() {
        return "s3://" + form.bucket() + "/" + form.prefix();
    }

    @Override
    public long partBytes() {
        return values.sizeBytes("part_bytes");
    }

    @Override
    public long mostBytes() {
        return partBytes() * Multipart.MAX_PARTS;
    }

    @Override
    public void abandon(LinuxPath key) throws DeliveryException {
        try {
            multipart.abandon(client(), form.keyOf(key));
        } catch (SdkException e) {
            throw failures.of(e);
        }
    }

    @Override
    public boolean isCreateOnly() {
        return form.createOnly();
    }

    @Override
    public boolean create(LinuxPath key, String batch, BatchContent content, Optional<BatchContent.Sums> sums)
            throws DeliveryException, SourceChangedException {
        try {
            if (content.lengthBytes() / 2 >= partBytes()) {
                multipart.put(client(), form.keyOf(key), batch, content, sums);
            } else {
                put(form.keyOf(key), batch, content, sums.map(all -> Base64Crc.text(all.whole())));
            }
            return true;
        } catch (SdkException e) {
            Optional<SourceChangedException> changed = SourceChangedException.behind(e);
            if (changed.isPresent()) {
                throw changed.get();
            }
            return existsOr(e);
        }
    }

    private void put(String key, String batch, BatchContent content, Optional<String> crc) {
        long length = content.lengthBytes();
        PutObjectRequest.Builder request = form.put(key).metadata(Map.of(ObjectForm.BATCH, batch));
        crc.ifPresent(request::checksumCRC32C);
        client().putObject(
                        request.build(),
                        RequestBody.fromContentProvider(() -> content.stream(0, length), length, form.contentType()));
    }

    /** False if the server says that the key exists; any other failure is thrown. */
    private boolean existsOr(SdkException e) throws DeliveryException {
        if (e instanceof S3Exception answer && answer.statusCode() == Failures.PRECONDITION_FAILED) {
            return false;
        }
        throw failures.of(e);
    }

    @Override
    public boolean create(LinuxPath key, byte[] bytes) throws DeliveryException {
        try {
            date = client().putObject(form.put(form.keyOf(key)).build(), RequestBody.fromBytes(bytes))
                    .sdkHttpResponse()
                    .firstMatchingHeader("Date");
            return true;
        } catch (SdkException e) {
            return existsOr(e);
        }
    }

    @Override
    public Optional<Found> find(LinuxPath key) throws DeliveryException {
        try {
            HeadObjectResponse there = client().headObject(
                            r -> r.bucket(form.bucket()).key(form.keyOf(key)).checksumMode(ChecksumMode.ENABLED));
            return Optional.of(new Found(there.contentLength(), number(there.checksumCRC32C())));
        } catch (NoSuchKeyException e) {
            return Optional.empty();
        } catch (SdkException e) {
            throw failures.of(e);
        }
    }

    @Override
    public List<LinuxPath> list(String beginning) throws DeliveryException {
        try {
            return client()
                    .listObjectsV2Paginator(r -> r.bucket(form.bucket()).prefix(form.prefix() + beginning))
                    .contents()
                    .stream()
                    .map(object ->
                            LinuxPath.of(object.key().substring(form.prefix().length())))
                    .toList();
        } catch (SdkException e) {
            throw failures.of(e);
        }
    }

    @Override
    public InputStream read(LinuxPath key, long from, long to) throws DeliveryException {
        try {
            return client().getObject(r -> {
                r.bucket(form.bucket()).key(form.keyOf(key));
                if (from > 0 || to < Long.MAX_VALUE) {
                    r.range("bytes=" + from + "-" + (to - 1));
                }
            });
        } catch (SdkException e) {
            throw failures.of(e);
        }
    }

    @Override
    public Optional<String> date() {
        return date;
    }

    /** Of an object in parts that has no checksum of the whole, what stands there is none. */
    private static OptionalInt number(@Nullable String text) {
        if (text == null || text.contains("-")) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(Base64Crc.number(text));
    }

    @Override
    public synchronized void close() {
        multipart.close();
        if (client != null) {
            client.close();
        }
    }
}
