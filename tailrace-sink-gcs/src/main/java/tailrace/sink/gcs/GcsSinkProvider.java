package tailrace.sink.gcs;

import static tailrace.core.deliver.Setting.Kind.BOOLEAN;
import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.SIZE;
import static tailrace.core.deliver.Setting.Kind.STRING;

import java.net.URI;
import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.store.ObjectStoreSink;

/** {@code type: gcs}. */
public final class GcsSinkProvider implements SinkProvider {
    /** All chunks of a resumable upload but the last are multiples of this. */
    private static final long CHUNK_UNIT_BYTES = 256 << 10;

    @Override
    public String type() {
        return "gcs";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.required("bucket", STRING, "The bucket, which must exist."),
                Setting.optional("prefix", STRING, "", "What all keys begin with."),
                Setting.optional(
                        "endpoint", STRING, "https://storage.googleapis.com", "The URL of the server, or an emulator."),
                Setting.optional(
                        "credentials_file",
                        STRING,
                        "A JSON file of credentials. Not given: application-default credentials."),
                Setting.optional("anonymous", BOOLEAN, "false", "Send no credentials, as to an emulator."),
                Setting.optional("storage_class", STRING, "NEARLINE, COLDLINE, ... Not given: the bucket's."),
                Setting.optional("kms_key", STRING, "The name of a Cloud KMS key. Not given: the bucket's."),
                Setting.optional(
                        "part_bytes", SIZE, "16MiB", "Batches of twice this size and more are sent in chunks of it."),
                Setting.optional("concurrency", INTEGER, "4", "Batches sent at a time."),
                Setting.optional("timeout", DURATION, "60s", "How long a request may take."));
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        URI endpoint = URI.create(values.string("endpoint"));
        if (endpoint.getHost() == null) {
            throw new IllegalArgumentException(
                    "the endpoint of a gcs sink begins with https:// or http:// and has a host, not '" + endpoint
                            + "'");
        }
        long part = values.sizeBytes("part_bytes");
        if (part < CHUNK_UNIT_BYTES || part % CHUNK_UNIT_BYTES != 0) {
            throw new IllegalArgumentException("part_bytes is a multiple of 256KiB, which GCS demands");
        }
        if (values.isTrue("anonymous") && values.has("credentials_file")) {
            throw new IllegalArgumentException("anonymous and credentials_file exclude each other");
        }
        return new ObjectStoreSink(new GcsStore(values), context, values.integer("concurrency"));
    }

    @Override
    public boolean takesCompressed(SettingValues values) {
        return true;
    }

    @Override
    public String defaultKey(SettingValues values) {
        return "{source}/{yyyy}/{MM}/{dd}/{HH}/{host}-{batch}{ext}";
    }
}
