package tailrace.sink.azure;

import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.SIZE;
import static tailrace.core.deliver.Setting.Kind.STRING;

import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.store.ObjectStoreSink;

/** {@code type: azure}. */
public final class AzureSinkProvider implements SinkProvider {
    private static final long MOST_PART_BYTES = 4000L << 20;

    @Override
    public String type() {
        return "azure";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.optional("account", STRING, "The storage account."),
                Setting.required("container", STRING, "The container, which must exist."),
                Setting.optional("prefix", STRING, "", "What all names of blobs begin with."),
                Setting.optional(
                        "endpoint",
                        STRING,
                        "The account's URL, if it is not https://ACCOUNT.blob.core.windows.net: other clouds, private"
                                + " endpoints, emulators."),
                Setting.optional(
                        "account_key",
                        STRING,
                        "The account's key: use ${VARIABLES}. Not given, nor sas_token: Azure's default credential"
                                + " (environment, workload identity, managed identity, az login)."),
                Setting.optional("sas_token", STRING, "A shared access signature in its stead."),
                Setting.optional("tier", STRING, "Hot, Cool, Cold or Archive. Not given: the account's."),
                Setting.optional(
                        "part_bytes", SIZE, "16MiB", "Batches of twice this size and more are sent in blocks of it."),
                Setting.optional("part_concurrency", INTEGER, "4", "Blocks of one batch sent at a time."),
                Setting.optional("concurrency", INTEGER, "4", "Batches sent at a time."),
                Setting.optional("timeout", DURATION, "60s", "How long to wait for the server to say something."));
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        if (!values.has("account") && !values.has("endpoint")) {
            throw new IllegalArgumentException("an azure sink needs its account, or an endpoint");
        }
        if (values.has("account_key") && values.has("sas_token")) {
            throw new IllegalArgumentException("account_key and sas_token exclude each other");
        }
        if (values.has("account_key") && !values.has("account")) {
            throw new IllegalArgumentException("account_key needs the account");
        }
        long part = values.sizeBytes("part_bytes");
        if (part < 1 || part > MOST_PART_BYTES) {
            throw new IllegalArgumentException("part_bytes is at most 4000MiB, and at least 1B");
        }
        return new ObjectStoreSink(new AzureStore(values), context, values.integer("concurrency"));
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
