package tailrace.core.track;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.watch.Watcher;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/** Files without a name that is watched: deleted or moved away. They are followed by themselves until they are done. */
final class Departures {
    /** How long a file that was moved away, or of which nobody can say whether someone writes to it, is kept open. */
    private static final long REST_NANOS = 60_000_000_000L;

    private final FileCalls files;
    private final Watcher watcher;
    private final FileTable table;
    private final Lineage lineage;
    private final Descriptors descriptors;
    private final Notes notes;
    private final Clock clock;
    private final EventLog log;
    private final Set<TrackedFile> nameless = new LinkedHashSet<>();

    Departures(
            FileCalls files,
            Watcher watcher,
            FileTable table,
            Lineage lineage,
            Descriptors descriptors,
            Notes notes,
            Clock clock,
            EventLog log) {
        this.files = files;
        this.watcher = watcher;
        this.table = table;
        this.lineage = lineage;
        this.descriptors = descriptors;
        this.notes = notes;
        this.clock = clock;
        this.log = log;
    }

    /** The file has lost its last name that is watched. */
    void nameless(TrackedFile file) {
        nameless.add(file);
        Fd fd = file.fd;
        if (fd != null && file.watch < 0) {
            table.watch(file, watcher.follow(fd));
        }
    }

    /** The file has a name again. */
    void named(TrackedFile file) throws LinuxException {
        if (nameless.remove(file)) {
            unfollow(file);
        }
    }

    Set<TrackedFile> nameless() {
        return Collections.unmodifiableSet(nameless);
    }

    private void unfollow(TrackedFile file) throws LinuxException {
        if (file.watch >= 0) {
            watcher.unfollow(file.watch);
            table.unwatch(file);
        }
    }

    /** Whether nothing can be added to the file any more: it is deleted, and nobody has it open for writing. */
    boolean isFinished(TrackedFile file) throws LinuxException {
        Fd fd = file.fd;
        return file.unlinked
                && !file.hasName()
                && fd != null
                && files.writers(fd).orElse(1) == 0;
    }

    /** Whether somebody has the file open for writing, or may have: then a while must pass in which it does not grow. */
    private boolean mayStillGrow(TrackedFile file, Fd fd) throws LinuxException {
        long writers = files.writers(fd).orElse(-1);
        boolean rests = clock.nanos() - file.grownAtNanos > REST_NANOS;
        return writers > 0 || (!rests && (writers < 0 || !file.unlinked));
    }

    /** Whether the file is the copy of another that has bytes under way: if they cannot be read, this one has them. */
    private boolean mayInherit(TrackedFile file) {
        Inheritance inheritance = file.inheritance();
        TrackedFile original = inheritance == null ? null : table.numbered(inheritance.original());
        return original != null && original.isUnderWay();
    }

    /** A deleted file that nobody writes to and that is delivered whole is history. */
    void letGoIfDone(TrackedFile file) throws LinuxException {
        if (file.hasName() || file.pin != null || !file.isSettled() || mayInherit(file)) {
            return;
        }
        Fd fd = file.fd;
        if (fd != null && (mayStillGrow(file, fd) || files.status(fd).sizeBytes() != file.seen())) {
            return; // the size is asked for last: it may have been written to before its writer ended
        }
        unfollow(file);
        descriptors.close(file);
        nameless.remove(file);
        if (!file.unlinked) {
            return; // moved away: if it comes back, it must not be taken for a new file
        }
        lineage.forget(file);
        table.remove(file);
        notes.forgotten(file);
        log.report(Event.FILE_DONE, file, "");
    }
}
