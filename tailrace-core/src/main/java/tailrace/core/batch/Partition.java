package tailrace.core.batch;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tailrace.core.track.TrackedFile;
import tailrace.core.track.Urgency;

/** Files of one route whose new bytes may travel in one batch. */
final class Partition {
    final String name;
    final Set<TrackedFile> files = new LinkedHashSet<>();

    /** Orders partitions: what would be lost first, what has waited longest, and what was made first. */
    static final Comparator<Partition> ORDER = Comparator.<Partition, Urgency>comparing(partition -> partition.urgency)
            .thenComparingLong(partition -> partition.sinceNanos)
            .thenComparingLong(partition -> partition.serial);

    private final long serial;

    /** Of its most urgent file. Not to be changed while it is in an ordered set. */
    Urgency urgency = Urgency.LASTING;

    /** Since when its oldest byte waits. Not to be changed while it is in an ordered set. */
    long sinceNanos;

    /** How many bytes wait, as they were offered: good enough to tell when a batch is full. */
    long bytes;

    /** A batch of it that is on its way and must not be overtaken. */
    @Nullable
    Batch travelling;

    Partition(String name, long serial) {
        this.name = name;
        this.serial = serial;
    }

    boolean isBusy() {
        return travelling != null;
    }
}
