package tailrace.core.track;

import java.util.Iterator;
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
    private final FileCalls files;
    private final EventLog log;
    private final int limit;

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
            log.report(
                    Event.DESCRIPTOR_LIMIT,
                    "open files",
                    limit + " files are open and pending. Raise the limit of open files (LimitNOFILE, ulimit -n).");
            files.close(fd);
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

    /** Closes the longest idle file that has a name to be found by again. */
    private boolean closeIdle() throws LinuxException {
        for (Iterator<TrackedFile> i = open.iterator(); i.hasNext(); ) {
            TrackedFile file = i.next();
            if (file.isSettled() && file.hasName()) {
                close(file);
                return true;
            }
        }
        return false;
    }
}
