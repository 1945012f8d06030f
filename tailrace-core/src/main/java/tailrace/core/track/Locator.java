package tailrace.core.track;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.watch.FileEvent;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/**
 * Where the files are: turns {@link FileEvent}s into tracked files that are located, named, and joined to their routes,
 * and notes to which of them something happened.
 */
final class Locator {
    private final EventLog log;
    private final List<Route> routes;
    private final FileFinder finder;
    private final FileTable table;
    private final Descriptors descriptors;
    private final Departures departures;
    private final Lineage lineage;
    private final Epochs epochs;
    private final RecentNames strangers;
    private final Notes notes;
    private final Ailing ailing;
    private final Pins pins;
    private final Set<TrackedFile> touched = new LinkedHashSet<>();
    private final Set<LinuxPath> retry = new LinkedHashSet<>();
    private boolean started;

    /** Whether the last scan has seen every folder. */
    private boolean scanIsComplete;

    Locator(
            EventLog log,
            List<Route> routes,
            FileFinder finder,
            FileTable table,
            Descriptors descriptors,
            Departures departures,
            Lineage lineage,
            Epochs epochs,
            RecentNames strangers,
            Notes notes,
            Ailing ailing,
            Pins pins) {
        this.log = log;
        this.routes = List.copyOf(routes);
        this.finder = finder;
        this.table = table;
        this.descriptors = descriptors;
        this.departures = departures;
        this.lineage = lineage;
        this.epochs = epochs;
        this.strangers = strangers;
        this.notes = notes;
        this.ailing = ailing;
        this.pins = pins;
    }

    void take(List<FileEvent> events) throws LinuxException {
        for (FileEvent event : events) {
            switch (event) {
                case FileEvent.Appeared(LinuxPath path) -> appeared(path);
                case FileEvent.Grew(LinuxPath path) -> heardOf(table.named(path), path);
                case FileEvent.Moved(LinuxPath from, LinuxPath to) -> moved(from, to);
                case FileEvent.Vanished(LinuxPath path) -> vanished(path);
                case FileEvent.FolderVanished(LinuxPath folder) -> folderVanished(folder);
                case FileEvent.Stirred(int watch) -> heardOf(table.watched(watch), null);
                case FileEvent.Rescanned(boolean complete) -> rescanned(complete);
            }
        }
    }

    /** Tries again to open what could not be opened. */
    void tryAgain() {
        List.copyOf(retry).forEach(this::appeared);
    }

    /** How many files match and cannot be opened at present. */
    int unreadable() {
        return retry.size();
    }

    /** The file is to be looked at. */
    void touch(TrackedFile file) {
        touched.add(file);
    }

    /** Files that something happened to since the last call. */
    Set<TrackedFile> takeTouched() {
        var taken = new LinkedHashSet<>(touched);
        touched.clear();
        return taken;
    }

    private void heardOf(@Nullable TrackedFile file, @Nullable LinuxPath path) {
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
                unname(known, path); // its inode number alone would not tell, if it is not held open
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
            file = adoptOrClose(found);
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
            finder.close(found);
        }
        table.name(file, path);
        departures.named(file);
        joinRoutes(file, path);
        touched.add(file);
    }

    private @Nullable TrackedFile adoptOrClose(FileFinder.Found found) throws LinuxException {
        try {
            return adopt(found);
        } catch (LinuxException e) {
            finder.close(found);
            throw e;
        }
    }

    /** The same handle, and the same bytes before the position, under a new filesystem id: XFS after a reboot. */
    private @Nullable TrackedFile adopt(FileFinder.Found found) throws LinuxException {
        TrackedFile known = table.unlocatedWithHandle(found.identity().handle());
        if (known == null || known.identity().step() != FileIdentity.Step.FILE_HANDLE) {
            return null;
        }
        if (!lineage.guardHolds(known, found.fd())) {
            return null;
        }
        log.report(Event.FILE_ADOPTED, known, "filesystem " + found.identity().filesystem());
        table.identify(known, found.identity());
        notes.changed(known);
        return known;
    }

    private void joinRoutes(TrackedFile file, LinuxPath path) {
        for (Route route : routes) {
            if (file.on(route) == null && route.source().matches(path)) {
                file.join(route, new Progress(file.seenBefore(), 0, Guard.NOTHING, 0, 0, 0));
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
        unnameIfGone(path);
    }

    private void unnameIfGone(LinuxPath path) {
        TrackedFile file = table.named(path);
        if (file == null || finder.isStill(file, path)) {
            return; // or the name came back, for the file that we found under it: what is told is older than that
        }
        unname(file, path);
    }

    private void unname(TrackedFile file, LinuxPath path) {
        table.unname(file, path);
        if (!file.hasName()) {
            departures.nameless(file);
        }
        touched.add(file);
    }

    /** Everything that is there has been reported: what is known but was not found is gone, or elsewhere. */
    private void rescanned(boolean complete) {
        scanIsComplete = complete;
        started = true;
        touched.addAll(table.all());
        for (TrackedFile file : table.copyOfAll()) {
            List.copyOf(file.paths).forEach(this::unnameIfGone);
            ailing.attempt(file, () -> searchIfMissing(file));
        }
        table.endRestoring();
    }

    private void found(TrackedFile file, FileFinder.Found found) throws LinuxException {
        if (!found.identity().equals(file.identity())) {
            table.identify(file, found.identity()); // its filesystem has another id since a reboot
        }
        file.locate(found.status());
        descriptors.keep(file, found.fd());
        departures.nameless(file);
        touched.add(file);
    }

    /** A file that earlier runs knew and that no scan has found. */
    void searchIfMissing(TrackedFile file) throws LinuxException {
        if (file.located || !started) {
            return;
        }
        Optional<FileFinder.Found> pinned = finder.openPin(file);
        if (pinned.isPresent()) {
            found(file, pinned.get());
            return;
        }
        if (!retry.isEmpty() || !scanIsComplete || !pins.areKnown()) {
            ailing.putOff(file); // it may be one of those that cannot be opened now
            return;
        }
        Optional<FileFinder.Found> elsewhere = finder.search(file, routes);
        if (elsewhere.isPresent()) {
            found(file, elsewhere.get());
        } else if (finder.filesystemIsThere(file, routes)) {
            epochs.loseUnsealed(file, LossReason.DELETED_WHILE_STOPPED);
            file.located = true;
            file.unlinked = true;
            departures.nameless(file);
        }
    }
}
