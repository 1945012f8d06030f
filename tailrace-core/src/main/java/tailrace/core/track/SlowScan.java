package tailrace.core.track;

import java.util.ArrayList;
import java.util.List;
import tailrace.core.Clock;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileStatus;
import tailrace.linux.LinuxException;

/** Looks at every file now and then, which catches what inotify cannot tell (writers through mappings). */
final class SlowScan {
    /** A full round takes so long. */
    private static final long ROUND_NANOS = 300_000_000_000L;

    /** A part of it is done this often: 10,000 idle files then cost 0.02 % of a processor (ADR 7). */
    private static final long STEP_NANOS = 5_000_000_000L;

    private final FileCalls files;
    private final FileTable table;
    private final Clock clock;
    private List<TrackedFile> round = List.of();
    private int position;
    private long steppedAtNanos;

    SlowScan(FileCalls files, FileTable table, Clock clock) {
        this.files = files;
        this.table = table;
        this.clock = clock;
        this.steppedAtNanos = clock.nanos();
    }

    long nextNanos() {
        return steppedAtNanos + STEP_NANOS;
    }

    /** The files of the next part that are not as they were; none before it is time. */
    List<TrackedFile> due() {
        if (clock.nanos() < nextNanos()) {
            return List.of();
        }
        steppedAtNanos = clock.nanos();
        if (position >= round.size()) {
            round = table.copyOfAll();
            position = 0;
        }
        int end = Math.min(round.size(), position + (int) (round.size() * STEP_NANOS / ROUND_NANOS) + 1);
        var due = new ArrayList<TrackedFile>();
        for (TrackedFile file : round.subList(position, end)) {
            if (table.numbered(file.number()) == file && mayHaveChanged(file)) {
                due.add(file);
            }
        }
        position = end;
        return due;
    }

    private boolean mayHaveChanged(TrackedFile file) {
        Fd fd = file.fd;
        if (fd == null) {
            return true;
        }
        try {
            FileStatus status = files.status(fd);
            return status.sizeBytes() != file.seen() || !status.modified().equals(file.modified);
        } catch (LinuxException e) {
            return true; // whoever looks closer will tell
        }
    }
}
