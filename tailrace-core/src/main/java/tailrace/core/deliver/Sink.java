package tailrace.core.deliver;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import tailrace.core.batch.Batch;
import tailrace.core.manifest.Archive;
import tailrace.linux.LinuxPath;

/**
 * Where batches go. Called by several courier threads at once, each with a batch of its own; of one partition of an
 * {@linkplain SinkTraits#ordered ordered} sink only one batch is on its way at a time.
 *
 * <p>A sink is done when its test that extends the testkit's {@code SinkContract} is green.
 */
public interface Sink extends AutoCloseable {
    SinkTraits traits();

    /**
     * How long what a key names is now; made, empty, if it is not there. Asked once before the first batch of a key,
     * and only if the sink is {@linkplain SinkTraits#resumable resumable}.
     */
    default long lengthOf(LinuxPath key) throws DeliveryException {
        throw new UnsupportedOperationException(key + ": the sink does not resume by position");
    }

    /**
     * Takes a batch, whole or not at all.
     *
     * @param position for a resumable sink, where the batch begins: what is there already is an attempt that never
     *     counted, and is overwritten. Else 0
     * @param content the bytes, lent until this returns
     * @throws DeliveryException what the sink decided; any other exception counts as a fault of the sink
     * @throws SourceChangedException from {@code content}, to be passed on with nothing committed
     */
    Receipt deliver(Batch batch, long position, BatchContent content) throws DeliveryException, SourceChangedException;

    /**
     * Puts a final manifest, whole or not at all, where other hosts' audits find it.
     *
     * @param key says where: {@link Archive#finalManifestKey}
     * @return false if the sink has no place for such
     */
    default boolean putFinalManifest(LinuxPath key, byte[] lines) throws DeliveryException {
        return false;
    }

    /** Tries what a delivery will need, for a person who asks; leaves nothing behind that matters. May take seconds. */
    default List<Finding> check() {
        return List.of();
    }

    /**
     * What the sink holds, opened for an audit; empty if that cannot be seen from outside.
     *
     * @throws IOException if it cannot be opened; the message is for a person
     */
    default Optional<Archive> archive() throws IOException {
        return Optional.empty();
    }

    @Override
    void close();
}
