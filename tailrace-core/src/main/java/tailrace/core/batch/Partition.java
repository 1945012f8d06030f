package tailrace.core.batch;

import java.util.LinkedHashSet;
import java.util.Set;
import tailrace.core.track.TrackedFile;

/** Files of one route whose new bytes may travel in one batch. */
final class Partition {
    final String name;
    final Set<TrackedFile> files = new LinkedHashSet<>();

    /** Since when its oldest byte waits. */
    long sinceNanos;

    /** How many bytes wait, as they were offered: good enough to tell when a batch is full. */
    long bytes;

    /** Whether a batch of it is on its way that must not be overtaken. */
    boolean busy;

    Partition(String name) {
        this.name = name;
    }
}
