package tailrace.core.track;

import java.util.LinkedHashSet;
import java.util.Set;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/**
 * The open descriptors of tracked files. A file stays open as long as the limit allows, since an open file can be
 * renamed or deleted without harm; beyond it, the idle file that grew longest ago is closed first.
 */
final class Descriptors {
    /** How many busy files are passed over in search of an idle one: a limit must not make each file cost all. */
    private static final int MAX_LOOKED_AT = 16;

    private final FileCalls files;
    private final EventLog log;
    private final int limit;
    private boolean told;

    /** Least recently grown first. */
    private final Set<TrackedFile> open = new LinkedHashSet<>();

    Descriptors(FileCalls files, EventLog log, int limit) {
        this.files = files;
        this.log = log;
        this.limit = limit;
    }

    /** Keeps a descriptor open for the file, at the price of another's if need be; or closes it if none is idle. */
    void keep(TrackedFile file, Fd fd) throws LinuxException {
        if (open.size() >= limit && !closeIdle()) {
            files.close(fd);
            if (!told) {
                told = true; // once for all the files that it concerns
                log.report(
                        Event.DESCRIPTOR_LIMIT,
                        "open files",
                        limit
                                + " files are open and pending; others are opened one by one as they are delivered,"
                                + " and one that is deleted before is lost. Raise the limit (LimitNOFILE, ulimit"
                                + " -n).");
            }
            return;
        }
        file.fd = fd;
        open.add(file);
    }

    void touch(TrackedFile file) {
        if (open.remove(file)) {
            open.add(file);
        }
    }

    void close(TrackedFile file) throws LinuxException {
        Fd fd = file.fd;
        if (fd != null) {
            open.remove(file);
            file.fd = null;
            files.close(fd);
        }
    }

    boolean hasRoom() {
        return open.size() < limit;
    }

    /** Closes a file that has a pin, or is idle and has a name to be found by again; looks at those that grew longest ago. */
    private boolean closeIdle() throws LinuxException {
        for (int i = 0; i < MAX_LOOKED_AT && !open.isEmpty(); i++) {
            TrackedFile file = open.iterator().next();
            if ((file.isSettled() && file.hasName()) || file.pin != null) {
                close(file);
                return true;
            }
            touch(file);
        }
        return false;
    }
}
