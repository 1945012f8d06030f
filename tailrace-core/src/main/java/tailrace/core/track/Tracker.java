package tailrace.core.track;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tailrace.core.Clock;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.World;
import tailrace.core.watch.FileEvent;
import tailrace.core.watch.SafeOpen;
import tailrace.core.watch.Watcher;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;

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
    private final FileFinder finder;
    private final Descriptors descriptors;
    private final Lineage lineage;
    private final Epochs epochs;
    private final SlowScan slowScan;
    private final Notes notes;
    private final Departures departures;
    private final FileTable table = new FileTable();
    private final Ailing ailing;
    private final Locator locator;
    private final Pins pins;
    private long secondAtNanos;

    public Tracker(
            World world,
            Watcher watcher,
            SafeOpen open,
            EventLog log,
            List<Route> routes,
            AlignedBuffer buffer,
            int maxOpenFiles,
            PinSettings pinned,
            String ledger) {
        Kernel kernel = world.kernel();
        this.files = kernel.files();
        this.clock = world.clock();
        this.log = log;
        this.finder = new FileFinder(kernel, open, log);
        this.descriptors = new Descriptors(files, log, maxOpenFiles);
        this.lineage = new Lineage(files, buffer);
        this.notes = new Notes(log);
        this.ailing = new Ailing(log);
        this.pins = new Pins(kernel, pinned, ledger, log, clock);
        var strangers = new RecentNames();
        this.epochs = new Epochs(table, lineage, finder, descriptors, strangers, notes, routes, clock, log);
        this.departures = new Departures(files, watcher, table, lineage, descriptors, notes, clock, log);
        this.locator = new Locator(
                log, routes, finder, table, descriptors, departures, lineage, epochs, strangers, notes, ailing, pins);
        this.slowScan = new SlowScan(files, table, clock);
        this.secondAtNanos = clock.nanos();
    }

    /** Takes over what an earlier run knew. Called before the first {@link #observe}. */
    public void restore(Collection<TrackedFile> known, int firstFreeNumber) {
        known.forEach(table::addRestored);
        table.startNumbersAt(firstFreeNumber);
        pins.recover(table);
    }

    /** Takes note of what happened, and looks at every file that it happened to. */
    public void observe(List<FileEvent> events) throws LinuxException {
        locator.take(events);
        everySecond();
        Set<TrackedFile> touched = locator.takeTouched();
        List<TrackedFile> ending = epochs.ending(); // now everything is known that was told before that was seen
        for (TrackedFile file : touched) {
            ailing.attempt(file, () -> examine(file));
        }
        for (TrackedFile file : touched) { // when all heads are known
            if (file.young) {
                ailing.attempt(file, () -> lineage.recognise(file));
            }
        }
        for (TrackedFile file : ending) {
            ailing.attempt(file, () -> beginEpoch(file));
        }
    }

    /** The file could not be read now: it is looked at again within a second. */
    public void cannotRead(TrackedFile file, LinuxException e) {
        ailing.add(file, e);
    }

    /** Looks at a file: how large it is, whether it is still the same, whether it can be forgotten. */
    private void examine(TrackedFile file) throws LinuxException {
        locator.searchIfMissing(file);
        if (!file.located || epochs.isEnding(file)) {
            return;
        }
        if (file.fd == null && file.isReachable() && descriptors.hasRoom()) {
            finder.reopen(file).ifPresent(fd -> keepQuietly(file, fd));
        }
        Fd fd = file.fd;
        if (fd == null) {
            examineByName(file);
            return;
        }
        FileStatus status = files.status(fd);
        file.unlinked = status.links() <= (file.pin == null ? 0 : 1);
        file.modified = status.modified();
        long size = status.sizeBytes();
        if (size < file.seen() || !lineage.guardHolds(file, fd)) {
            epochs.end(file, size < file.seen() ? LossReason.TRUNCATED : LossReason.OVERWRITTEN);
            return;
        }
        if (size > file.seen()) {
            file.grow(size);
            file.grownAtNanos = clock.nanos();
            descriptors.touch(file);
        }
        examined(file);
    }

    private void examined(TrackedFile file) throws LinuxException {
        lineage.learn(file);
        if (!file.isSettled()) {
            notes.grown(file);
            if (pins.wants(file)) {
                notes.leaving(file);
            }
        }
        departures.letGoIfDone(file);
    }

    /** Gives a file that is no longer live a second name, so that its deletion loses nothing. */
    public void pin(TrackedFile file) {
        pins.pin(file);
    }

    /** Removes the second names of those files that are delivered, which the ledger must know. */
    public void unpinSettled(Collection<TrackedFile> perhapsSettled) {
        for (TrackedFile file : perhapsSettled) {
            if (pins.mayGo(file)) {
                ailing.attempt(file, () -> {
                    pins.release(file);
                    departures.letGoIfDone(file);
                });
            }
        }
    }

    private void keepBudget() {
        for (TrackedFile file : pins.beyondBudget()) {
            log.report(Event.PIN_RELEASED, file, "raise pins.bytes or pins.percent_of_free, or the sink's speed");
            epochs.loseUnsealed(file, LossReason.PIN_RELEASED);
            file.released = true;
            ailing.attempt(file, () -> {
                pins.release(file);
                descriptors.close(file);
                departures.letGoIfDone(file);
            });
        }
    }

    private void beginEpoch(TrackedFile file) throws LinuxException {
        Optional<FileStatus> status = file.fd != null ? Optional.of(files.status(file.fd)) : statusByName(file);
        epochs.begin(file, status.map(FileStatus::sizeBytes).orElse(0L));
        examined(file);
    }

    private Optional<FileStatus> statusByName(TrackedFile file) throws LinuxException {
        return file.isReachable()
                ? files.status(Fd.CURRENT_DIRECTORY, file.reachablePath()).filter(s -> s.inode() == file.inode)
                : Optional.empty();
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
        Optional<FileStatus> status = statusByName(file);
        if (status.isPresent()) {
            if (status.get().sizeBytes() < file.seen()) {
                epochs.end(file, LossReason.TRUNCATED);
                return;
            }
            if (status.get().sizeBytes() > file.seen()) {
                file.grow(status.get().sizeBytes());
                file.grownAtNanos = clock.nanos();
            }
            if (!file.isSettled()) {
                notes.grown(file);
            }
        } else if (!file.isReachable() && !file.isSettled()) {
            epochs.loseUnsealed(file, LossReason.DELETED_UNOPENED);
            file.unlinked = true;
            departures.letGoIfDone(file);
        }
    }

    /**
     * Lends the file open for reading: the descriptor that is kept, or one opened for the occasion.
     *
     * @return to be given to {@link #giveBack}; empty if the file cannot be reached now
     */
    public Optional<Fd> lend(TrackedFile file) throws LinuxException {
        Fd kept = file.fd;
        return kept != null ? Optional.of(kept) : file.isReachable() ? finder.reopen(file) : Optional.empty();
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

    /** Whether a file still goes on after what was sealed of it; if not, a new epoch is about to begin. */
    public boolean stillContinues(TrackedFile file, Fd fd) throws LinuxException {
        if (epochs.isEnding(file)) {
            return false;
        }
        if (notes.hasChanged(file)) {
            notes.grown(file);
            return false; // the ledger must hear of its new state before it hears of a seal
        }
        boolean isShorter = files.status(fd).sizeBytes() < file.seen();
        if (!isShorter && lineage.guardHolds(file, fd)) {
            return true;
        }
        epochs.end(file, isShorter ? LossReason.TRUNCATED : LossReason.OVERWRITTEN);
        return false;
    }

    /** Sealed bytes could not be read when they were to be delivered: they are in a copy, still there, or lost. */
    public void takeBack(TrackedFile file, Route route, int epoch, Range range) {
        Progress p = file.on(route);
        if (p == null) {
            throw new IllegalStateException(file + " does not travel on " + route.name());
        }
        ailing.attempt(file, () -> examine(file));
        notes.changed(file);
        boolean mayBeThere = file.fd != null || file.isReachable() || !file.located;
        if (epoch == file.epoch() && mayBeThere) {
            p.giveBack(range);
            notes.grown(file);
            return;
        }
        epochs.endOutstanding(file, route, p, epoch, range);
    }

    /** Sealed bytes were rejected for good, and are kept elsewhere. */
    public void rejected(TrackedFile file, Route route, int epoch, Range range) {
        Progress p = file.on(route);
        if (p == null) {
            throw new IllegalStateException(file + " does not travel on " + route.name());
        }
        p.outstandingLost(range.lengthBytes());
        notes.lost(new Loss(file, route, epoch, range, LossReason.DEAD_LETTER));
        notes.changed(file);
    }

    /** Bytes of these files were delivered: those that are gone may be done. */
    public void settle(Collection<TrackedFile> settled) {
        for (TrackedFile file : settled) {
            if (!epochs.isEnding(file)) {
                ailing.attempt(file, () -> departures.letGoIfDone(file));
            }
        }
    }

    private void everySecond() throws LinuxException {
        if (clock.nanos() - secondAtNanos < SECOND_NANOS) {
            return;
        }
        secondAtNanos = clock.nanos();
        pins.recover(table);
        keepBudget();
        slowScan.due().forEach(locator::touch);
        ailing.take().forEach(locator::touch);
        locator.tryAgain();
        departures.nameless().forEach(locator::touch);
        pins.waiting().forEach(locator::touch);
    }

    /**
     * Whether a file was found to have begun anew, of which the next {@link #observe} says what that means. Until then
     * nothing should be sealed: a file that looks like any other may turn out to be its copy.
     */
    public boolean isEpochEnding() {
        return !ailing.containsAll(epochs.ending());
    }

    /** When {@link #observe} should be called again even if nothing happens. */
    public long nextDeadlineNanos() {
        if (isEpochEnding()) {
            return clock.nanos();
        }
        long second = secondAtNanos + SECOND_NANOS;
        if (locator.unreadable() > 0
                || !ailing.isEmpty()
                || !departures.nameless().isEmpty()
                || !pins.areKnown()
                || pins.isAnyWaiting()) {
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
        return locator.unreadable();
    }

    /** Whether nothing has been found out that the planner was not told. */
    public boolean isQuiet() {
        return notes.nothingGrown() && epochs.ending().isEmpty() && !ailing.mayHeal();
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
        pins.close();
    }
}
