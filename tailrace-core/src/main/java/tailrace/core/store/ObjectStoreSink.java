package tailrace.core.store;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tailrace.core.Clock;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Receipt;
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
 * An object for each batch, made once: the store refuses a key that exists, so a batch that is sent again after a crash or
 * a lost answer is found to be there. A line of manifest is put beside it, under {@code _tailrace/manifests/}, before the
 * batch counts.
 */
public final class ObjectStoreSink implements Sink {
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(5);

    private final ObjectStore store;
    private final SinkProvider.Context context;
    private final SinkTraits traits;

    /**
     * Takes the store over, and closes it.
     *
     * @param concurrency batches sent at a time
     */
    public ObjectStoreSink(ObjectStore store, SinkProvider.Context context, int concurrency) {
        this.store = store;
        this.context = context;
        this.traits = new SinkTraits(false, false, 0, concurrency);
    }

    @Override
    public SinkTraits traits() {
        return traits;
    }

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        if (content.lengthBytes() > store.mostBytes()) {
            throw DeliveryException.rejection(
                    store.name() + batch.key() + " would have " + content.lengthBytes()
                            + " bytes, and no object there can" + " have more than " + store.mostBytes(),
                    "Lower the route's batch.bytes (with framing: whole_file, that cannot help: raise the sink's"
                            + " part_bytes, or use another framing).");
        }
        try {
            Optional<BatchContent.Sums> sums =
                    context.integrity() == Integrity.CRC32C ? Optional.of(sums(content)) : Optional.empty();
            OptionalInt crc = sums.isPresent() ? OptionalInt.of(sums.get().whole()) : OptionalInt.empty();
            boolean isEmpty = content.lengthBytes() == 0; // all is filtered out, which the manifest tells
            if (!isEmpty && !store.create(batch.key(), batch.id().toString(), content, sums)) {
                confirm(batch.key(), content.lengthBytes(), crc);
            }
            byte[] line = ManifestCodec.toLine(
                    ManifestEntry.of(context.host(), batch, 0, content.lengthBytes(), crc, content.withheld()));
            store.create(Archive.manifestKey(context.host(), batch.id().toString()), line);
            return new Receipt(0, crc);
        } catch (SourceChangedException e) {
            store.abandon(batch.key());
            throw e;
        } catch (LinuxException e) {
            throw DeliveryException.transientFailure("cannot read the source: " + e.getMessage(), e);
        }
    }

    private BatchContent.Sums sums(BatchContent content) throws LinuxException, SourceChangedException {
        boolean inParts = content.lengthBytes() / 2 >= store.partBytes();
        return inParts ? content.sums(store.partBytes()) : new BatchContent.Sums(content.sum(), List.of());
    }

    /** The key exists: delivered before, if length and checksum agree. */
    private void confirm(LinuxPath key, long lengthBytes, OptionalInt crc) throws DeliveryException {
        Optional<ObjectStore.Found> found = store.find(key);
        if (found.isEmpty()) {
            throw DeliveryException.transientFailure(
                    store.name() + key + " exists, and does not", new IllegalStateException("deleted meanwhile?"));
        }
        OptionalInt there = found.get().crc32c();
        boolean same =
                found.get().lengthBytes() == lengthBytes && (crc.isEmpty() || there.isEmpty() || crc.equals(there));
        if (!same) {
            throw DeliveryException.refusal(
                    store.name() + key + " exists and is another object",
                    "Something else wrote it: move it away, and the batch is delivered.");
        }
    }

    @Override
    public boolean putFinalManifest(LinuxPath key, byte[] lines) throws DeliveryException {
        store.create(key, lines); // if it is there, an earlier attempt has put it
        return true;
    }

    /** Tries what a delivery needs: to create an object, and to be refused when it is there. */
    @Override
    public List<Finding> check() {
        var findings = new ArrayList<Finding>();
        LinuxPath key = LinuxPath.of("_tailrace/doctor/" + context.host());
        try {
            store.create(key, new byte[0]); // or it was left by an earlier call
            findings.add(Finding.ok("objects can be created in " + store.name()));
            findings.add(overwriting(key));
            store.date().flatMap(ObjectStoreSink::skew).ifPresent(findings::add);
        } catch (DeliveryException e) {
            findings.add(Finding.fail(String.valueOf(e.getMessage())));
        }
        return findings;
    }

    private Finding overwriting(LinuxPath key) throws DeliveryException {
        if (!store.isCreateOnly()) {
            return Finding.warn("create_only is false: what exists can be overwritten");
        }
        return store.create(key, new byte[0])
                ? Finding.fail("the server overwrites what exists although it is told not to: use a newer one, or say"
                        + " create_only: false if the sink has that setting")
                : Finding.ok("and are not overwritten");
    }

    private static Optional<Finding> skew(String date) {
        Instant there;
        try {
            there = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
        } catch (DateTimeException e) {
            return Optional.of(Finding.warn("the server's date is none: " + date));
        }
        boolean far = Duration.between(there, Clock.SYSTEM.now()).abs().compareTo(CLOCK_TOLERANCE) > 0;
        return far
                ? Optional.of(Finding.warn("the server's clock says " + there + "; run NTP on both"))
                : Optional.empty();
    }

    @Override
    public Optional<Archive> archive() {
        return Optional.of(new StoreArchive(store));
    }

    @Override
    public void close() {
        store.close();
    }
}
