package tailrace.core.track;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.watch.FileEvent;
import tailrace.core.watch.SafeOpen;
import tailrace.core.watch.Watcher;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/**
 * The only owner of tracked files. Learns from {@link FileEvent}s which files are there, asks their descriptors who they
 * are and how large, and finds the position where an earlier run left them. For the loop's thread alone.
 *
 * <p>What it finds out collects until {@link #takeFindings}.
 */
public final class Tracker implements AutoCloseable {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final FileCalls files;
    private final Clock clock;
    private final EventLog log;
    private final List<Route> routes;
    private final AlignedBuffer buffer;
    private final FileFinder finder;
    private final Descriptors descriptors;
    private final Lineage lineage;
    private final Epochs epochs;
    private final SlowScan slowScan;
    private final Notes notes;
    private final Departures departures;
    private final FileTable table = new FileTable();
    private final Set<TrackedFile> touched = new LinkedHashSet<>();
    private final Set<LinuxPath> retry = new LinkedHashSet<>();
    private final RecentNames strangers = new RecentNames();
    private long secondAtNanos;
    private boolean started;

    public Tracker(
            Kernel kernel,
            Watcher watcher,
            SafeOpen open,
            Clock clock,
            EventLog log,
            List<Route> routes,
            AlignedBuffer buffer,
            int maxOpenFiles) {
        this.files = kernel.files();
        this.clock = clock;
        this.log = log;
        this.routes = List.copyOf(routes);
        this.buffer = buffer;
        this.finder = new FileFinder(kernel, open, log);
        this.descriptors = new Descriptors(files, log, maxOpenFiles);
        this.lineage = new Lineage(files, buffer);
        this.notes = new Notes(log);
        this.epochs = new Epochs(table, lineage, finder, descriptors, strangers, notes, this.routes, clock, log);
        this.departures = new Departures(files, watcher, table, lineage, descriptors, notes, clock, log);
        this.slowScan = new SlowScan(files, table, clock);
        this.secondAtNanos = clock.nanos();
    }

    /** Takes over what an earlier run knew. Called before the first {@link #observe}. */
    public void restore(Collection<TrackedFile> known, int firstFreeNumber) {
        known.forEach(table::addRestored);
        table.startNumbersAt(firstFreeNumber);
    }

    /** Takes note of what happened, and looks at every file that it happened to. */
    public void observe(List<FileEvent> events) throws LinuxException {
        for (FileEvent event : events) {
            switch (event) {
                case FileEvent.Appeared(LinuxPath path) -> appeared(path);
                case FileEvent.Grew(LinuxPath path) -> touch(table.named(path), path);
                case FileEvent.Moved(LinuxPath from, LinuxPath to) -> moved(from, to);
                case FileEvent.Vanished(LinuxPath path) -> vanished(path);
                case FileEvent.FolderVanished(LinuxPath folder) -> folderVanished(folder);
                case FileEvent.Stirred(int watch) -> touch(table.watched(watch), null);
                case FileEvent.Rescanned() -> rescanned();
            }
        }
        everySecond();
        for (TrackedFile file : touched) {
            examine(file);
        }
        for (TrackedFile file : touched) { // when all heads are known
            if (file.young) {
                lineage.recognise(file);
            }
        }
        touched.clear();
    }

    private void touch(@Nullable TrackedFile file, @Nullable LinuxPath path) {
        if (file != null) {
            touched.add(file);
        } else if (path != null && !retry.contains(path) && isWanted(path) && !finder.isSkipped(path)) {
            appeared(path); // its appearance was missed, or was refused for a reason that may be over
        }
    }

    private boolean isWanted(LinuxPath path) {
        return routes.stream().anyMatch(route -> route.source().matches(path));
    }

    private void appeared(LinuxPath path) {
        TrackedFile known = table.named(path);
        if (known != null && known.fd != null && finder.isStill(known, path)) {
            touched.add(known);
            return;
        }
        if (!isWanted(path)) {
            strangers.add(path);
            return;
        }
        try {
            Optional<FileFinder.Found> found = finder.open(path);
            if (known != null && (found.isEmpty() || !found.get().identity().equals(known.identity()))) {
                vanished(path);
            }
            if (found.isPresent()) {
                locate(found.get(), path);
            }
            retry.remove(path);
        } catch (LinuxException e) {
            retry.add(path);
            String advice = switch (e.errno()) {
                case EMFILE, ENFILE -> "Raise the limit of open files (LimitNOFILE, ulimit -n).";
                case EACCES, EPERM -> "Give the agent read permission.";
                default -> "";
            };
            log.report(Event.FILE_UNREADABLE, path, e.getMessage() + "; it is tried again. " + advice);
        }
    }

    /** An open file and its name: a known one found again, or a new one. */
    private void locate(FileFinder.Found found, LinuxPath path) throws LinuxException {
        TrackedFile file = table.identified(found.identity());
        if (file == null && !started) {
            file = adopt(found);
        }
        if (file == null) {
            file = new TrackedFile(table.takeNumber(), found.identity(), path, routes.size());
            file.young = started;
            table.add(file);
            notes.changed(file);
            log.report(Event.FILE_FOUND, path, "");
        }
        file.locate(found.status());
        if (file.fd == null) {
            descriptors.keep(file, found.fd());
        } else {
            files.close(found.fd());
        }
        table.name(file, path);
        departures.named(file);
        joinRoutes(file, path);
        touched.add(file);
    }

    /** The same handle, and the same bytes before the position, under a new filesystem id: XFS after a reboot. */
    private @Nullable TrackedFile adopt(FileFinder.Found found) throws LinuxException {
        TrackedFile known = table.unlocatedWithHandle(found.identity().handle());
        if (known == null || known.identity().step() != FileIdentity.Step.FILE_HANDLE) {
            return null;
        }
        for (Progress p : known.allProgress()) {
            if (p != null && Guard.at(files, found.fd(), p.sealed(), buffer) != p.guard()) {
                return null;
            }
        }
        log.report(Event.FILE_ADOPTED, known, "filesystem " + found.identity().filesystem());
        table.identify(known, found.identity());
        notes.changed(known);
        return known;
    }

    private void joinRoutes(TrackedFile file, LinuxPath path) {
        for (Route route : routes) {
            if (file.on(route) == null && route.source().matches(path)) {
                file.join(route, new Progress(file.seenBefore(), 0, Guard.NOTHING, 0, 0));
                notes.changed(file);
            }
        }
    }

    private void moved(LinuxPath from, LinuxPath to) throws LinuxException {
        TrackedFile file = table.named(from);
        TrackedFile replaced = table.named(to);
        if (replaced != null && replaced != file) {
            vanished(to);
        }
        if (file == null || !finder.isStill(file, to)) {
            appeared(from); // both names may be other files' by now: what we knew under the first is, or was, newer
            appeared(to);
            return;
        }
        table.unname(file, from);
        table.name(file, to);
        joinRoutes(file, to);
        touched.add(file);
    }

    private void folderVanished(LinuxPath folder) {
        table.namesBelow(folder).forEach(this::vanished);
    }

    private void vanished(LinuxPath path) {
        retry.remove(path);
        TrackedFile file = table.named(path);
        if (file == null || finder.isStill(file, path)) {
            return; // or the name came back, for the file that we found under it: what is told is older than that
        }
        table.unname(file, path);
        if (!file.hasName()) {
            departures.nameless(file);
        }
        touched.add(file);
    }

    /** Everything that is there has been reported: what is known but was not found is gone, or elsewhere. */
    private void rescanned() throws LinuxException {
        touched.addAll(table.all());
        for (TrackedFile file : table.copyOfAll()) {
            List.copyOf(file.paths).forEach(this::vanished); // unless they are still there
            if (!file.located) {
                Optional<FileFinder.Found> elsewhere = finder.search(file, routes);
                if (elsewhere.isPresent()) {
                    file.locate(elsewhere.get().status());
                    descriptors.keep(file, elsewhere.get().fd());
                    departures.nameless(file);
                    touched.add(file);
                } else if (finder.filesystemIsThere(file, routes)) {
                    epochs.loseUnsealed(file, LossReason.DELETED_WHILE_STOPPED);
                    file.located = true;
                    file.unlinked = true;
                    departures.nameless(file);
                }
            }
        }
        started = true;
        table.endRestoring();
    }

    /** Looks at a file: how large it is, whether it is still the same, whether it can be forgotten. */
    private void examine(TrackedFile file) throws LinuxException {
        if (!file.located) {
            return;
        }
        if (file.fd == null && file.hasName() && !file.unlinked && descriptors.hasRoom()) {
            finder.reopen(file).ifPresent(fd -> keepQuietly(file, fd));
        }
        Fd fd = file.fd;
        if (fd == null) {
            examineByName(file);
            return;
        }
        FileStatus status = files.status(fd);
        file.unlinked = status.links() == 0;
        file.modified = status.modified();
        long size = status.sizeBytes();
        if (size < file.seen() || !guardHolds(file, fd)) {
            epochs.begin(file, size, size < file.seen() ? LossReason.TRUNCATED : LossReason.OVERWRITTEN);
        } else if (size > file.seen()) {
            file.grow(size);
            file.grownAtNanos = clock.nanos();
            descriptors.touch(file);
        }
        lineage.learn(file);
        if (!file.isSettled()) {
            notes.grown(file);
        }
        departures.letGoIfDone(file);
    }

    private void keepQuietly(TrackedFile file, Fd fd) {
        try {
            descriptors.keep(file, fd);
        } catch (LinuxException e) {
            log.report(Event.FILE_UNREADABLE, file, String.valueOf(e.getMessage()));
        }
    }

    /** A file that is not held open, for want of descriptors: its name must do. */
    private void examineByName(TrackedFile file) throws LinuxException {
        Optional<FileStatus> status = file.hasName()
                ? files.status(Fd.CURRENT_DIRECTORY, file.path()).filter(s -> s.inode() == file.inode)
                : Optional.empty();
        if (status.isPresent()) {
            if (status.get().sizeBytes() > file.seen()) {
                file.grow(status.get().sizeBytes());
                file.grownAtNanos = clock.nanos();
            }
            if (!file.isSettled()) {
                notes.grown(file);
            }
        } else if (!file.hasName() && !file.isSettled()) {
            epochs.loseUnsealed(file, LossReason.DELETED_UNOPENED);
            file.unlinked = true;
            departures.letGoIfDone(file);
        }
    }

    private boolean guardHolds(TrackedFile file, Fd fd) throws LinuxException {
        for (Progress p : file.allProgress()) {
            if (p != null && p.sealed() > 0 && Guard.at(files, fd, p.sealed(), buffer) != p.guard()) {
                return false;
            }
        }
        return file.sealedMost() > 0 || lineage.hasItsHead(file, fd);
    }

    /**
     * Lends the file open for reading: the descriptor that is kept, or one opened for the occasion.
     *
     * @return to be given to {@link #giveBack}; empty if the file cannot be reached now
     */
    public Optional<Fd> lend(TrackedFile file) throws LinuxException {
        Fd kept = file.fd;
        return kept != null ? Optional.of(kept) : file.hasName() ? finder.reopen(file) : Optional.empty();
    }

    /** A descriptor of the file for somebody else, who closes it; empty if it is not held open, or none is left. */
    public Optional<Fd> duplicate(TrackedFile file) {
        Fd fd = file.fd;
        if (fd == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(files.duplicate(fd));
        } catch (LinuxException e) {
            log.report(Event.DESCRIPTOR_LIMIT, "open files", String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Ends what {@link #lend} began. */
    public void giveBack(TrackedFile file, Fd fd) throws LinuxException {
        if (!fd.equals(file.fd)) {
            files.close(fd);
        }
    }

    /** Whether a file still goes on after what was sealed of it; if not, a new epoch has begun when this returns. */
    public boolean stillContinues(TrackedFile file, Fd fd) throws LinuxException {
        if (notes.hasChanged(file)) {
            notes.grown(file);
            return false; // the ledger must hear of its new state before it hears of a seal
        }
        if (files.status(fd).sizeBytes() >= file.seen() && guardHolds(file, fd)) {
            return true;
        }
        epochs.begin(file, files.status(fd).sizeBytes(), LossReason.OVERWRITTEN);
        notes.grown(file);
        return false;
    }

    /** Sealed bytes could not be read when they were to be delivered: they are in a copy, still there, or lost. */
    public void takeBack(TrackedFile file, Route route, int epoch, Range range) throws LinuxException {
        Progress p = file.on(route);
        if (p == null) {
            throw new IllegalStateException(file + " does not travel on " + route.name());
        }
        examine(file);
        notes.changed(file);
        if (epoch == file.epoch() && (file.fd != null || file.hasName())) {
            p.giveBack(range);
            notes.grown(file);
            return;
        }
        epochs.endOutstanding(file, route, p, epoch, range);
    }

    /** Bytes of these files were delivered: those that are gone may be done. */
    public void settle(Collection<TrackedFile> settled) throws LinuxException {
        for (TrackedFile file : settled) {
            departures.letGoIfDone(file);
        }
    }

    private void everySecond() throws LinuxException {
        if (clock.nanos() - secondAtNanos < SECOND_NANOS) {
            return;
        }
        secondAtNanos = clock.nanos();
        touched.addAll(slowScan.due());
        List.copyOf(retry).forEach(this::appeared);
        touched.addAll(departures.nameless());
    }

    /** When {@link #observe} should be called again even if nothing happens. */
    public long nextDeadlineNanos() {
        long second = secondAtNanos + SECOND_NANOS;
        if (!retry.isEmpty() || !departures.nameless().isEmpty()) {
            return second;
        }
        return table.all().isEmpty() ? Long.MAX_VALUE : Math.max(second, slowScan.nextNanos());
    }

    /** What was found out since the last call. */
    public Findings takeFindings() {
        return notes.take();
    }

    /** Whether a new file is probably the copy that a copytruncate is making, and should be left alone for now. */
    public boolean isHeldAsCopy(TrackedFile file) throws LinuxException {
        return epochs.isHeldAsCopy(file);
    }

    /** The file of that number, which must be tracked. */
    public TrackedFile byNumber(int number) {
        TrackedFile file = table.numbered(number);
        if (file == null) {
            throw new IllegalArgumentException("no file has the number " + number);
        }
        return file;
    }

    /** Whether nothing can be added to the file any more: it is deleted, and nobody has it open for writing. */
    public boolean isFinished(TrackedFile file) throws LinuxException {
        return departures.isFinished(file);
    }

    /** How many files match and cannot be opened at present; they are tried again every second. */
    public int unreadable() {
        return retry.size();
    }

    /** Whether nothing has been found out that the planner was not told. */
    public boolean isQuiet() {
        return notes.nothingGrown();
    }

    /** Every tracked file, in the order of their first sight. */
    public Collection<TrackedFile> all() {
        return table.all();
    }

    /** Closes every file. */
    @Override
    public void close() throws LinuxException {
        for (TrackedFile file : table.all()) {
            descriptors.close(file);
        }
    }
}
