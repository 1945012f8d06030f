package tailrace.core.track;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.linux.LinuxException;

/**
 * Files that could not be read, on a failing disk for instance: they are left alone until the next second, and must not
 * keep the others from being followed.
 */
final class Ailing {
    /** Something that reads a file. */
    interface Reading {
        void read() throws LinuxException;
    }

    /** A drain waits for so many seconds for a file that cannot be read. */
    private static final int MOST_FAILURES = 10;

    private final EventLog log;
    private final Set<TrackedFile> files = new LinkedHashSet<>();

    /** How often in a row each could not be read. */
    private final Map<TrackedFile, Integer> failures = new HashMap<>();

    Ailing(EventLog log) {
        this.log = log;
    }

    /** Reads a file unless it is ailing, which it is from now on if that fails. */
    void attempt(TrackedFile file, Reading reading) {
        if (files.contains(file)) {
            return;
        }
        try {
            reading.read();
            failures.remove(file);
        } catch (LinuxException e) {
            add(file, e);
        }
    }

    void add(TrackedFile file, LinuxException e) {
        files.add(file);
        failures.merge(file, 1, Integer::sum);
        log.report(Event.FILE_UNREADABLE, file, e.getMessage() + "; it is tried again. Is its disk in order?");
    }

    /** The file is to be looked at again later, for a reason that needs no telling. */
    void putOff(TrackedFile file) {
        files.add(file);
    }

    /** Whether one of them has not failed so often yet that it must be given up when the agent is to stop. */
    boolean mayHeal() {
        return files.stream()
                .map(file -> failures.getOrDefault(file, MOST_FAILURES))
                .anyMatch(n -> n < MOST_FAILURES);
    }

    boolean isEmpty() {
        return files.isEmpty();
    }

    boolean containsAll(List<TrackedFile> all) {
        return files.containsAll(all);
    }

    /** All of them, to be tried again. */
    Set<TrackedFile> take() {
        var taken = new LinkedHashSet<>(files);
        files.clear();
        return taken;
    }
}
