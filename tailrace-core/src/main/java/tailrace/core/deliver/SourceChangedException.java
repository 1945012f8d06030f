package tailrace.core.deliver;

import java.util.List;
import tailrace.core.batch.Extent;

/** Files of a batch changed or vanished before their bytes had moved: nothing of the batch may be committed. */
public final class SourceChangedException extends Exception {
    private final transient List<Extent> extents;

    SourceChangedException(List<Extent> extents) {
        super("the bytes of " + extents.getFirst().path() + " are not there any more");
        this.extents = List.copyOf(extents);
    }

    /** Those that cannot be read any more. */
    public List<Extent> extents() {
        return extents;
    }
}
