package tailrace.sink.s3;

import static tailrace.core.deliver.Setting.Kind.BOOLEAN;
import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.SIZE;
import static tailrace.core.deliver.Setting.Kind.STRING;
import static tailrace.core.deliver.Setting.Kind.STRINGS;

import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.store.ObjectStoreSink;

/** {@code type: s3}. */
public final class S3SinkProvider implements SinkProvider {
    /** S3 takes no smaller part, but for the last. */
    private static final long LEAST_PART_BYTES = 5L << 20;

    @Override
    public String type() {
        return "s3";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.required("bucket", STRING, "The bucket, which must exist."),
                Setting.optional("prefix", STRING, "", "What all keys begin with."),
                Setting.optional(
                        "region",
                        STRING,
                        "The bucket's region. Not given: from the environment, the profile, or the instance."),
                Setting.optional(
                        "endpoint", STRING, "The URL of another server that speaks S3 (MinIO, Ceph, R2, ...)."),
                Setting.optional(
                        "path_style",
                        BOOLEAN,
                        "Whether the bucket stands in the path of URLs. Not given: true if there is an endpoint."),
                Setting.optional(
                        "create_only",
                        BOOLEAN,
                        "true",
                        "Send If-None-Match, so that nothing is ever overwritten. false only for servers that do not"
                                + " know it: a batch that is sent again then takes its own place."),
                Setting.optional("profile", STRING, "The profile of ~/.aws. Not given: AWS's chain of credentials."),
                Setting.optional("access_key_id", STRING, "Credentials, if not from AWS's chain: use ${VARIABLES}."),
                Setting.optional("secret_access_key", STRING, "Goes with access_key_id."),
                Setting.optional("role_arn", STRING, "A role to assume, by STS."),
                Setting.optional("external_id", STRING, "Goes with role_arn."),
                Setting.optional("ca_file", STRING, "PEM: whom to trust, if not this JDK's issuers."),
                Setting.optional("storage_class", STRING, "STANDARD_IA, GLACIER_IR, ..."),
                Setting.oneOf("encryption", List.of("default", "s3", "kms"), "default", "SSE-S3, or SSE-KMS."),
                Setting.optional("kms_key", STRING, "The key of SSE-KMS, if not the bucket's."),
                Setting.optional("tags", STRINGS, "Object tags, each as name=value."),
                Setting.optional(
                        "part_bytes", SIZE, "16MiB", "Batches of twice this size and more are sent in parts of it."),
                Setting.optional("part_concurrency", INTEGER, "4", "Parts of one batch sent at a time."),
                Setting.optional("concurrency", INTEGER, "4", "Batches sent at a time."),
                Setting.optional("timeout", DURATION, "60s", "How long to wait for the server to say something."));
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        if (values.has("access_key_id") != values.has("secret_access_key")) {
            throw new IllegalArgumentException("access_key_id and secret_access_key go together");
        }
        if (values.has("external_id") && !values.has("role_arn")) {
            throw new IllegalArgumentException("external_id needs role_arn");
        }
        if (values.has("kms_key") && !values.string("encryption").equals("kms")) {
            throw new IllegalArgumentException("kms_key needs encryption: kms");
        }
        if (values.sizeBytes("part_bytes") < LEAST_PART_BYTES) {
            throw new IllegalArgumentException("part_bytes is at least 5MiB, which S3 demands");
        }
        for (String tag : values.has("tags") ? values.strings("tags") : List.<String>of()) {
            if (tag.indexOf('=') < 1) {
                throw new IllegalArgumentException("a tag is name=value, not '" + tag + "'");
            }
        }
        return new ObjectStoreSink(new S3Store(values), context, values.integer("concurrency"));
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
