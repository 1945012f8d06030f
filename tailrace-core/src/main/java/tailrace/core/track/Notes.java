package tailrace.core.track;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tailrace.core.Event;
import tailrace.core.EventLog;

/** Collects {@link Findings}. */
final class Notes {
    private final EventLog log;
    private Set<TrackedFile> grown = new LinkedHashSet<>();
    private Set<TrackedFile> changed = new LinkedHashSet<>();
    private List<Loss> losses = new ArrayList<>();
    private Set<TrackedFile> leaving = new LinkedHashSet<>();
    private List<TrackedFile> forgotten = new ArrayList<>();

    Notes(EventLog log) {
        this.log = log;
    }

    void grown(TrackedFile file) {
        grown.add(file);
    }

    void changed(TrackedFile file) {
        changed.add(file);
    }

    boolean hasChanged(TrackedFile file) {
        return changed.contains(file);
    }

    void leaving(TrackedFile file) {
        leaving.add(file);
    }

    void forgotten(TrackedFile file) {
        leaving.remove(file);
        grown.remove(file);
        forgotten.add(file);
    }

    /** Bytes are gone: never silently. */
    void lost(Loss loss) {
        losses.add(loss);
        log.report(
                Event.BYTES_LOST,
                loss.file(),
                loss.range().lengthBytes() + " bytes [" + loss.range().from() + ", "
                        + loss.range().to() + ") of epoch " + loss.epoch() + " for "
                        + loss.route().name() + ": "
                        + loss.reason());
    }

    boolean nothingGrown() {
        return grown.isEmpty();
    }

    Findings take() {
        var taken = new Findings(grown, changed, losses, leaving, forgotten);
        grown = new LinkedHashSet<>();
        changed = new LinkedHashSet<>();
        losses = new ArrayList<>();
        leaving = new LinkedHashSet<>();
        forgotten = new ArrayList<>();
        return taken;
    }
}
