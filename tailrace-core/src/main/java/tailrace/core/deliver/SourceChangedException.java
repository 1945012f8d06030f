package tailrace.core.deliver;

import java.util.List;
import java.util.Optional;
import tailrace.core.batch.Extent;

/** Files of a batch changed or vanished before their bytes had moved: nothing of the batch may be committed. */
public final class SourceChangedException extends Exception {
    private final transient List<Extent> extents;

    SourceChangedException(List<Extent> extents) {
        super("the bytes of " + extents.getFirst().path() + " are not there any more");
        this.extents = List.copyOf(extents);
    }

    /** The exception of this kind that lies behind another, as when a client that pulled the bytes wraps it. */
    public static Optional<SourceChangedException> behind(Throwable wrapper) {
        for (Throwable cause = wrapper; cause != null; cause = cause.getCause()) {
            if (cause instanceof SourceChangedException changed) {
                return Optional.of(changed);
            }
        }
        return Optional.empty();
    }

    /** Those that cannot be read any more. */
    public List<Extent> extents() {
        return extents;
    }
}
