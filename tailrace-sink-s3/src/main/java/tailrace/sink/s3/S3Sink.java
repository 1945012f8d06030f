package tailrace.sink.s3;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
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
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import tailrace.core.batch.Batch;
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
import tailrace.core.manifest.Archive;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/**
 * An object for each batch, created once: {@code If-None-Match: *} makes the server refuse a key that exists, so a batch
 * that is sent again after a crash or a lost answer is found to be there. The server checks the CRC32C that is sent with
 * the bytes. A line of manifest is put beside it, under {@code _tailrace/manifests/}, before the batch counts.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html">Conditional writes</a>
 */
final class S3Sink implements Sink {
    private final SettingValues values;
    private final SinkProvider.Context context;
    private final ObjectForm form;
    private final Failures failures;
    private final Multipart multipart;
    private final long partBytes;

    /** Made when it is first needed: credentials and region may come later. */
    private @Nullable S3Client client;

    S3Sink(SettingValues values, SinkProvider.Context context) {
        this.values = values;
        this.context = context;
        this.form = ObjectForm.of(values);
        this.failures = new Failures("s3://" + form.bucket()
                + values.optionalString("endpoint").map(url -> " at " + url).orElse(""));
        this.partBytes = values.sizeBytes("part_bytes");
        this.multipart = new Multipart(form, partBytes, values.integer("part_concurrency"));
    }

    @Override
    public SinkTraits traits() {
        return new SinkTraits(false, false, 0, values.integer("concurrency"));
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
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        try {
            boolean inParts = content.lengthBytes() >= 2 * partBytes;
            Optional<BatchContent.Sums> sums = context.integrity() == Integrity.CRC32C
                    ? Optional.of(inParts ? content.sums(partBytes) : new BatchContent.Sums(content.sum(), List.of()))
                    : Optional.empty();
            OptionalInt crc = sums.isPresent() ? OptionalInt.of(sums.get().whole()) : OptionalInt.empty();
            String key = form.keyOf(batch.key());
            try {
                if (content.lengthBytes() > partBytes * Multipart.MAX_PARTS) {
                    throw DeliveryException.refusal(
                            "batch " + batch.id() + " has " + content.lengthBytes() + " bytes, more than "
                                    + Multipart.MAX_PARTS + " parts",
                            "Raise the sink's part_bytes; batches from then on are best kept smaller (batch.bytes).");
                }
                if (inParts) {
                    multipart.put(client(), key, batch.id().toString(), content, sums);
                } else {
                    put(key, batch, content, crc);
                }
            } catch (S3Exception e) {
                if (e.statusCode() != Failures.PRECONDITION_FAILED) {
                    throw e;
                }
                confirm(key, content.lengthBytes(), crc);
            }
            putManifest(batch, content.lengthBytes(), crc);
            return new Receipt(0, crc);
        } catch (SdkException e) {
            Optional<SourceChangedException> changed = SourceChangedException.behind(e);
            if (changed.isPresent()) {
                throw changed.get();
            }
            throw failures.of(e);
        } catch (LinuxException e) {
            throw DeliveryException.transientFailure("cannot read the source: " + e.getMessage(), e);
        }
    }

    private void put(String key, Batch batch, BatchContent content, OptionalInt crc) {
        long length = content.lengthBytes();
        PutObjectRequest.Builder request =
                form.put(key).metadata(Map.of(ObjectForm.BATCH, batch.id().toString()));
        crc.ifPresent(sum -> request.checksumCRC32C(text(sum)));
        client().putObject(
                        request.build(),
                        RequestBody.fromContentProvider(() -> content.stream(0, length), length, form.contentType()));
    }

    /** The key exists: delivered before, if length and checksum agree. */
    private void confirm(String key, long lengthBytes, OptionalInt crc) throws DeliveryException {
        HeadObjectResponse there =
                client().headObject(r -> r.bucket(form.bucket()).key(key).checksumMode(ChecksumMode.ENABLED));
        String sum = there.checksumCRC32C();
        boolean same = there.contentLength() == lengthBytes
                && (crc.isEmpty() || sum == null || sum.equals(text(crc.getAsInt())));
        if (!same) {
            throw DeliveryException.refusal(
                    "s3://" + form.bucket() + "/" + key + " exists and is another object",
                    "Something else wrote it: move it away, and the batch is delivered.");
        }
    }

    private void putManifest(Batch batch, long lengthBytes, OptionalInt crc) {
        byte[] line = ManifestCodec.toLine(ManifestEntry.of(context.host(), batch, 0, lengthBytes, crc));
        putOnce(Archive.manifestKey(context.host(), batch.id().toString()), line);
    }

    @Override
    public boolean putFinalManifest(LinuxPath key, byte[] lines) throws DeliveryException {
        try {
            putOnce(key, lines);
            return true;
        } catch (SdkException e) {
            throw failures.of(e);
        }
    }

    private void putOnce(LinuxPath key, byte[] text) {
        try {
            client().putObject(form.put(form.keyOf(key)).build(), RequestBody.fromBytes(text));
        } catch (S3Exception e) {
            if (e.statusCode() != Failures.PRECONDITION_FAILED) { // the same, from an earlier attempt
                throw e;
            }
        }
    }

    /** As S3 writes it: the four bytes, big-endian, in Base64. */
    static String text(int crc32c) {
        return Base64.getEncoder()
                .encodeToString(
                        ByteBuffer.allocate(Integer.BYTES).putInt(crc32c).array());
    }

    @Override
    public List<Finding> check() {
        try {
            return new Checkup(client(), form, failures).run(context.host());
        } catch (SdkException e) {
            return List.of(Finding.fail(String.valueOf(failures.of(e).getMessage())));
        }
    }

    @Override
    public Optional<Archive> archive() throws IOException {
        try {
            return Optional.of(new BucketArchive(client(), form, failures));
        } catch (SdkException e) {
            throw new IOException(failures.of(e).getMessage(), e);
        }
    }

    @Override
    public synchronized void close() {
        multipart.close();
        if (client != null) {
            client.close();
        }
    }
}
