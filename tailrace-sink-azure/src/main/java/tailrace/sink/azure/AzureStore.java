package tailrace.sink.azure;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.AccessTier;
import com.azure.storage.blob.models.BlobProperties;
import com.azure.storage.blob.models.BlobRange;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.models.BlobStorageException;
import com.azure.storage.blob.models.ListBlobsOptions;
import com.azure.storage.blob.options.BlobInputStreamOptions;
import com.azure.storage.blob.options.BlockBlobSimpleUploadOptions;
import com.azure.storage.blob.specialized.BlockBlobClient;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.store.ObjectStore;
import tailrace.linux.LinuxPath;

/**
 * A container of Azure's blob storage. {@code If-None-Match: *} makes it refuse a name that exists; it checks the MD5 that
 * is sent with the bytes, since it knows no CRC32C, which stands in the blob's metadata.
 *
 * @see <a href="https://learn.microsoft.com/rest/api/storageservices/put-blob">Put Blob</a>
 */
final class AzureStore implements ObjectStore {
    private static final String CRC = "crc32c";
    private static final String BATCH = "tailrace_batch";

    private final SettingValues values;
    private final String prefix;
    private final Failures failures;
    private final Blocks blocks;

    /** Of the last answer about a small object. */
    private volatile Optional<String> date = Optional.empty();

    /** Made when it is first needed: credentials may come later. */
    private @Nullable BlobContainerClient client;

    AzureStore(SettingValues values) {
        this.values = values;
        this.prefix = ObjectStore.folder(values.string("prefix"));
        this.failures = new Failures("azure container " + values.string("container")
                + values.optionalString("account").map(name -> " of " + name).orElse("")
                + values.optionalString("endpoint").map(url -> " at " + url).orElse(""));
        this.blocks = new Blocks(partBytes(), values.integer("part_concurrency"));
    }

    private synchronized BlobContainerClient client() {
        BlobContainerClient known = client;
        if (known == null) {
            known = Clients.container(values);
            client = known;
        }
        return known;
    }

    private BlockBlobClient blob(LinuxPath key) {
        return client().getBlobClient(prefix + key).getBlockBlobClient();
    }

    @Override
    public String name() {
        return "az://"
                + values.optionalString("account").map(name -> name + "/").orElse("") + values.string("container") + "/"
                + prefix;
    }

    @Override
    public long partBytes() {
        return values.sizeBytes("part_bytes");
    }

    @Override
    public long mostBytes() {
        return partBytes() * Blocks.MOST_BLOCKS;
    }

    @Override
    public boolean isCreateOnly() {
        return true;
    }

    @Override
    public boolean create(LinuxPath key, String batch, BatchContent content, Optional<BatchContent.Sums> sums)
            throws DeliveryException, SourceChangedException {
        var metadata = new HashMap<>(Map.of(BATCH, batch));
        sums.ifPresent(all -> metadata.put(CRC, HexFormat.of().toHexDigits(all.whole())));
        try {
            if (content.lengthBytes() / 2 >= partBytes()) {
                blocks.put(blob(key), content, sums, metadata, tier());
            } else {
                put(blob(key), content, sums.isPresent(), metadata);
            }
            return true;
        } catch (RuntimeException e) {
            Optional<SourceChangedException> changed = SourceChangedException.behind(e);
            if (changed.isPresent()) {
                throw changed.get();
            }
            return existsOr(e);
        }
    }

    private void put(BlockBlobClient blob, BatchContent content, boolean summed, Map<String, String> metadata) {
        long length = content.lengthBytes();
        var options = new BlockBlobSimpleUploadOptions(BinaryData.fromStream(content.stream(0, length), length))
                .setMetadata(metadata)
                .setTier(tier())
                .setRequestConditions(createOnly());
        if (summed) {
            options.setContentMd5(Md5.of(content, 0, length));
        }
        blob.uploadWithResponse(options, null, Context.NONE);
    }

    private @Nullable AccessTier tier() {
        return values.optionalString("tier").map(AccessTier::fromString).orElse(null);
    }

    static BlobRequestConditions createOnly() {
        return new BlobRequestConditions().setIfNoneMatch("*");
    }

    /** False if the server says that the name is taken; any other failure is thrown. */
    private boolean existsOr(RuntimeException e) throws DeliveryException {
        if (e instanceof BlobStorageException answer && Failures.saysThatItExists(answer)) {
            return false;
        }
        throw failures.of(e);
    }

    @Override
    public boolean create(LinuxPath key, byte[] bytes) throws DeliveryException {
        var options = new BlockBlobSimpleUploadOptions(BinaryData.fromBytes(bytes)).setRequestConditions(createOnly());
        try {
            date = Optional.ofNullable(blob(key)
                    .uploadWithResponse(options, null, Context.NONE)
                    .getHeaders()
                    .getValue(HttpHeaderName.DATE));
            return true;
        } catch (RuntimeException e) {
            return existsOr(e);
        }
    }

    @Override
    public Optional<Found> find(LinuxPath key) throws DeliveryException {
        try {
            BlobProperties properties = blob(key).getProperties();
            String crc = properties.getMetadata().get(CRC);
            return Optional.of(new Found(
                    properties.getBlobSize(),
                    crc == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseUnsignedInt(crc, 16))));
        } catch (RuntimeException e) {
            if (e instanceof BlobStorageException answer && Failures.saysThatThereIsNone(answer)) {
                return Optional.empty();
            }
            throw failures.of(e);
        }
    }

    @Override
    public List<LinuxPath> list(String beginning) throws DeliveryException {
        try {
            return client().listBlobs(new ListBlobsOptions().setPrefix(prefix + beginning), null).stream()
                    .map(item -> LinuxPath.of(item.getName().substring(prefix.length())))
                    .toList();
        } catch (RuntimeException e) {
            throw failures.of(e);
        }
    }

    @Override
    public InputStream read(LinuxPath key, long from, long to) throws DeliveryException {
        try {
            return blob(key)
                    .openInputStream(new BlobInputStreamOptions()
                            .setRange(to == Long.MAX_VALUE ? new BlobRange(from) : new BlobRange(from, to - from)));
        } catch (RuntimeException e) {
            throw failures.of(e);
        }
    }

    @Override
    public Optional<String> date() {
        return date;
    }

    @Override
    public void close() {
        blocks.close();
    }
}
