package tailrace.core.track;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.linux.DirectoryEntry;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FilesystemStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * Second names of files that are no longer live and have bytes to deliver: hard links in a folder of our own. With them a
 * crash of the agent and a deletion together lose nothing, no byte is copied, and no descriptor is needed. A live file
 * never gets one: logrotate and gzip refuse files of two names.
 *
 * <p>A pin is called {@code LEDGER-FILE}, by the ledger's id and the file's number in it, so that a restart knows whose it
 * is, and another agent's are left alone. It needs no fsync: a journal writes the link before the deletion that it is
 * made for.
 */
final class Pins {
    private static final int OWNER_ONLY = 0700;

    private final Kernel kernel;
    private final PinSettings settings;
    private final String prefix;
    private final EventLog log;
    private final Clock clock;
    private final Set<TrackedFile> pinned = new LinkedHashSet<>();

    /** Files that are to be pinned, and since when. */
    private final Map<TrackedFile, Long> waiting = new LinkedHashMap<>();

    @Nullable
    private Fd folder;

    private boolean refused;
    private boolean known;

    /** @param ledger the ledger's id */
    Pins(Kernel kernel, PinSettings settings, String ledger, EventLog log, Clock clock) {
        this.kernel = kernel;
        this.settings = settings;
        this.prefix = ledger + "-";
        this.log = log;
        this.clock = clock;
    }

    /** Whether the file, which has bytes to deliver, should get a second name now. */
    boolean wants(TrackedFile file) throws LinuxException {
        if (!isMeant(file)) {
            waiting.remove(file);
            return false;
        }
        long since = waiting.computeIfAbsent(file, f -> clock.nanos());
        return clock.nanos() - since >= settings.after().toNanos();
    }

    boolean isAnyWaiting() {
        return !waiting.isEmpty();
    }

    /** Files that should get a second name later, if they still have bytes to deliver then. */
    Set<TrackedFile> waiting() {
        waiting.keySet().removeIf(file -> file.isSettled() || file.unlinked || file.pin != null);
        return waiting.keySet();
    }

    private boolean isMeant(TrackedFile file) throws LinuxException {
        Fd fd = file.fd;
        if (settings.mode() == PinSettings.Mode.OFF || refused || fd == null || file.pin != null || file.unlinked) {
            return false;
        }
        return !file.paths.contains(file.firstPath())
                || (settings.mode() == PinSettings.Mode.ALWAYS
                        && kernel.files().writers(fd).orElse(1) == 0);
    }

    /** Gives the file its second name, if it still needs one. */
    void pin(TrackedFile file) {
        try {
            Fd fd = file.fd;
            if (!isMeant(file)
                    || file.isSettled()
                    || fd == null
                    || kernel.files().status(fd).links() == 0) {
                return;
            }
            Fd parent = open();
            var name = LinuxPath.of(prefix + file.number());
            kernel.names().link(fd, parent, name); // if it is there already, it is the one
            hold(file, name);
        } catch (LinuxException e) {
            refused = e.errno() == Errno.EXDEV || e.errno() == Errno.EPERM;
            String advice = switch (e.errno()) {
                case EXDEV ->
                    "Put them on the files' own filesystem (pins.path in the configuration), or say pins.mode: off.";
                case EPERM -> "Run as the files' owner or with CAP_FOWNER (fs.protected_hardlinks).";
                default -> "";
            };
            log.report(
                    Event.PIN_FAILED, file, e.getMessage() + ". A crash now and its deletion would lose it. " + advice);
        }
    }

    private void hold(TrackedFile file, LinuxPath name) {
        file.pin = settings.folder().resolve(name);
        pinned.add(file);
        waiting.remove(file);
    }

    private Fd open() throws LinuxException {
        Fd open = folder;
        if (open == null) {
            makeFolders(settings.folder());
            open = kernel.files()
                    .open(Fd.CURRENT_DIRECTORY, settings.folder(), OpenHow.directory())
                    .orElseThrow();
            folder = open;
        }
        return open;
    }

    private void makeFolders(LinuxPath path) throws LinuxException {
        if (kernel.files().status(Fd.CURRENT_DIRECTORY, path).isEmpty()) {
            makeFolders(path.parent());
            kernel.names().mkdir(Fd.CURRENT_DIRECTORY, path, OWNER_ONLY);
        }
    }

    /**
     * Finds the pins that an earlier run has made, if that was not done; those of files that the ledger has closed are
     * removed. To be called again while not {@link #areKnown}.
     */
    void recover(FileTable table) {
        if (known) {
            return;
        }
        try {
            if (kernel.files().status(Fd.CURRENT_DIRECTORY, settings.folder()).isEmpty()) {
                known = true;
                return;
            }
            for (DirectoryEntry entry : kernel.names().list(open())) {
                String name = entry.name().toString();
                if (!name.matches(prefix + "[0-9]{1,9}")) {
                    continue;
                }
                TrackedFile file = table.numbered(Integer.parseInt(name.substring(prefix.length())));
                if (file != null && file.pin != null) {
                    continue;
                }
                if (file == null) {
                    kernel.names().unlink(open(), entry.name());
                } else {
                    hold(file, entry.name());
                }
            }
            known = true;
        } catch (LinuxException e) {
            log.report(Event.PIN_FAILED, settings.folder(), e.getMessage() + "; it is tried again");
        }
    }

    /** Whether all pins of earlier runs were found: until then a file without a name may still have one here. */
    boolean areKnown() {
        return known;
    }

    /** The file needs its second name no more. */
    void release(TrackedFile file) throws LinuxException {
        LinuxPath pin = file.pin;
        if (pin != null) {
            kernel.names().unlink(open(), pin.fileName());
            file.pin = null;
            pinned.remove(file);
        }
    }

    /** Of the files that nothing but us keeps on the disk, those that must go, oldest first, to keep the budget. */
    List<TrackedFile> beyondBudget() {
        var kept = new ArrayList<TrackedFile>();
        long keptBytes = 0;
        for (TrackedFile file : pinned) {
            if (file.unlinked) {
                kept.add(file);
                keptBytes += file.seen();
            }
        }
        if (kept.isEmpty()) {
            return kept;
        }
        long budgetBytes =
                Math.min(settings.budgetBytes(), (availableBytes() + keptBytes) / 100 * settings.percentOfFree());
        var beyond = new ArrayList<TrackedFile>();
        for (TrackedFile file : kept) {
            if (keptBytes <= budgetBytes) {
                break;
            }
            keptBytes -= file.seen();
            beyond.add(file);
        }
        return beyond;
    }

    /** What is free beside the pins; much, where that cannot be told: nothing is given up for want of an answer. */
    private long availableBytes() {
        try {
            FilesystemStatus disk = kernel.files().filesystem(open());
            return disk.availableBytes();
        } catch (LinuxException e) {
            log.report(Event.PIN_FAILED, settings.folder(), String.valueOf(e.getMessage()));
            return Long.MAX_VALUE / 2;
        }
    }

    /** Whether the file has a pin that it does not need any more. */
    boolean mayGo(TrackedFile file) {
        return file.pin != null && file.isSettled();
    }

    void close() throws LinuxException {
        Fd open = folder;
        if (open != null) {
            kernel.files().close(open);
        }
    }
}
