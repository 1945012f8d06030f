package tailrace.core.batch;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tailrace.core.track.TrackedFile;

/** Files of one route whose new bytes may travel in one batch. */
final class Partition {
    final String name;
    final Set<TrackedFile> files = new LinkedHashSet<>();

    /** Orders partitions: which has waited longest, and where that is equal, which was made first. */
    static final Comparator<Partition> LONGEST_WAITING = Comparator.<Partition>comparingLong(
                    partition -> partition.sinceNanos)
            .thenComparingLong(partition -> partition.serial);

    private final long serial;

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
