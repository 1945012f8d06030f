package tailrace.core.batch;

import java.time.Instant;
import java.util.List;
import tailrace.core.track.Route;
import tailrace.linux.LinuxPath;

/**
 * Extents that travel together. Immutable once sealed: a delivery that is repeated carries the same bytes.
 *
 * @param partition what batches of an ordered sink have in common that must not overtake each other
 * @param key where the sink puts it
 * @param sealedAt the time in the key
 */
public record Batch(BatchId id, Route route, String partition, LinuxPath key, List<Extent> extents, Instant sealedAt) {
    public Batch {
        extents = List.copyOf(extents);
        if (extents.isEmpty()) {
            throw new IllegalArgumentException("a batch carries at least one extent");
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Batch that && id.equals(that.id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    /** How its bytes are compressed on their way. */
    public Codec codec() {
        return Codec.ofPartition(partition);
    }

    /** The name of its partition alone, without what is to be done with its bytes. */
    public String lane() {
        return RecordRules.unmarked(partition);
    }

    /** What its records are, and what is done with them on their way. */
    public RecordRules rules() {
        return RecordRules.ofPartition(partition);
    }

    /** Of its bytes as they are in the files. */
    public long lengthBytes() {
        return extents.stream().mapToLong(Extent::lengthBytes).sum();
    }
}
