package tailrace.sink.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;
import tailrace.core.manifest.Archive;
import tailrace.linux.LinuxPath;

/** A bucket, or what is below a prefix of it. */
final class BucketArchive implements Archive {
    private static final int BUFFER_BYTES = 128 * 1024;

    private final S3Client client;
    private final ObjectForm form;
    private final Failures failures;

    BucketArchive(S3Client client, ObjectForm form, Failures failures) {
        this.client = client;
        this.form = form;
        this.failures = failures;
    }

    @Override
    public String name() {
        return "s3://" + form.bucket() + "/" + form.prefix();
    }

    @Override
    public List<Manifest> manifests() throws IOException {
        List<Manifest> all = read(MANIFESTS);
        if (all.isEmpty()) {
            throw new IOException("there are no manifests in " + name() + MANIFESTS + ": is this an s3 sink's?");
        }
        return all;
    }

    @Override
    public List<Manifest> finalManifests() throws IOException {
        return read(FINAL_MANIFESTS);
    }

    private List<Manifest> read(String folder) throws IOException {
        try {
            var all = new ArrayList<Manifest>();
            for (S3Object object : client.listObjectsV2Paginator(
                            r -> r.bucket(form.bucket()).prefix(form.prefix() + folder))
                    .contents()) {
                String text = client.getObject(
                                r -> r.bucket(form.bucket()).key(object.key()), ResponseTransformer.toBytes())
                        .asString(StandardCharsets.UTF_8);
                all.add(new Manifest(object.key(), List.of(text.split("\n", -1))));
            }
            return all;
        } catch (SdkException e) {
            throw failure(e);
        }
    }

    @Override
    public OptionalLong lengthOf(LinuxPath key) throws IOException {
        try {
            return OptionalLong.of(
                    client.headObject(r -> r.bucket(form.bucket()).key(form.keyOf(key)))
                            .contentLength());
        } catch (NoSuchKeyException e) {
            return OptionalLong.empty();
        } catch (SdkException e) {
            throw failure(e);
        }
    }

    @Override
    public OptionalInt crc32c(LinuxPath key, long position, long lengthBytes) throws IOException {
        String range = "bytes=" + position + "-" + (position + lengthBytes - 1);
        try (InputStream in = client.getObject(
                r -> r.bucket(form.bucket()).key(form.keyOf(key)).range(range))) {
            var crc = new CRC32C();
            byte[] buffer = new byte[BUFFER_BYTES];
            long read = 0;
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                crc.update(buffer, 0, n);
                read += n;
            }
            return read == lengthBytes ? OptionalInt.of((int) crc.getValue()) : OptionalInt.empty();
        } catch (SdkException e) {
            throw failure(e);
        }
    }

    private IOException failure(SdkException e) {
        return new IOException(failures.of(e).getMessage(), e);
    }

    @Override
    public void close() {} // the client is the sink's
}
