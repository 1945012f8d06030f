package tailrace.core.watch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.linux.DirectoryEntry;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.InotifyEvent;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** The folders that are watched, and those that must be listed instead. */
final class Folders {
    private static final int FOLDER_EVENTS = InotifyEvent.CREATE
            | InotifyEvent.MODIFY
            | InotifyEvent.CLOSE_WRITE
            | InotifyEvent.MOVED_FROM
            | InotifyEvent.MOVED_TO
            | InotifyEvent.DELETE
            | InotifyEvent.DELETE_SELF
            | InotifyEvent.MOVE_SELF
            | InotifyEvent.ONLY_DIRECTORY;
    private static final int FILE_EVENTS = InotifyEvent.MODIFY | InotifyEvent.CLOSE_WRITE | InotifyEvent.ATTRIB;

    private final Kernel kernel;
    private final List<Source> sources;
    private final List<LinuxPath> own;
    private final SafeOpen open;
    private final Fd inotify;
    private final EventLog log;
    private final Map<Integer, LinuxPath> byWatch = new HashMap<>();
    private final Map<LinuxPath, Integer> watchOf = new HashMap<>();
    private final Set<Integer> followed = new HashSet<>();
    private final Set<LinuxPath> polled = new LinkedHashSet<>();
    private final Set<LinuxPath> missingRoots = new LinkedHashSet<>();
    private final Set<LinuxPath> unreadable = new LinkedHashSet<>();
    private final Set<LinuxPath> roots = new LinkedHashSet<>();

    /** @param own the agent's own folders, which are nobody's source */
    Folders(Kernel kernel, List<Source> sources, List<LinuxPath> own, SafeOpen open, Fd inotify, EventLog log) {
        this.kernel = kernel;
        this.sources = sources;
        this.own = List.copyOf(own);
        this.open = open;
        this.inotify = inotify;
        this.log = log;
        sources.forEach(source -> source.includes().forEach(include -> roots.add(include.root())));
    }

    @Nullable
    LinuxPath of(int watch) {
        return byWatch.get(watch);
    }

    boolean isRoot(LinuxPath folder) {
        return roots.contains(folder);
    }

    boolean isFollowed(int watch) {
        return followed.contains(watch);
    }

    boolean needPolling() {
        return !polled.isEmpty() || !missingRoots.isEmpty();
    }

    boolean allReadable() {
        return unreadable.isEmpty();
    }

    /** Watches all there is below the roots and reports each file. */
    void scanRoots(List<FileEvent> events) throws LinuxException {
        for (LinuxPath root : roots) {
            add(root, events);
        }
    }

    /** Lists what inotify does not tell about, and looks for roots that were missing. */
    void listPolled(List<FileEvent> events) throws LinuxException {
        boolean found = !polled.isEmpty();
        for (LinuxPath root : List.copyOf(missingRoots)) {
            add(root, events);
            if (!missingRoots.contains(root)) {
                log.report(Event.ROOT_APPEARED, root, "");
                found = true;
            }
        }
        for (LinuxPath folder : List.copyOf(polled)) {
            add(folder, events);
        }
        if (found) {
            events.add(new FileEvent.Rescanned(allReadable()));
        }
    }

    /** Watches a folder and those below it, and then reports the files in them: a file made meanwhile comes twice. */
    void add(LinuxPath folder, List<FileEvent> events) throws LinuxException {
        var waiting = new ArrayList<LinuxPath>();
        waiting.add(folder);
        while (!waiting.isEmpty()) {
            LinuxPath next = waiting.removeLast();
            if (!own.contains(next) && sources.stream().anyMatch(source -> source.mayMatchBelow(next))) {
                addOne(next, waiting, events);
            }
        }
    }

    private void addOne(LinuxPath folder, List<LinuxPath> below, List<FileEvent> events) throws LinuxException {
        Optional<Fd> opened;
        try {
            opened = open.open(folder, OpenHow.directory());
        } catch (LinuxException e) {
            unreadable(folder, e);
            return;
        }
        if (opened.isEmpty()) {
            missing(folder);
            return;
        }
        Fd fd = opened.get();
        try {
            missingRoots.remove(folder);
            watch(folder, fd);
            for (DirectoryEntry entry : kernel.names().list(fd)) {
                report(folder.resolve(entry.name()), entry, below, events);
            }
            unreadable.remove(folder);
        } catch (LinuxException e) {
            unreadable(folder, e);
        } finally {
            kernel.files().close(fd);
        }
    }

    private void report(LinuxPath path, DirectoryEntry entry, List<LinuxPath> below, List<FileEvent> events) {
        boolean linkMayCount = entry.isSymbolicLink() && sources.stream().anyMatch(Source::followSymlinks);
        if (entry.mayBeDirectory() || linkMayCount) {
            below.add(path);
        }
        if (!entry.mayBeDirectory() || entry.type() == DirectoryEntry.UNKNOWN) {
            events.add(new FileEvent.Appeared(path));
        }
    }

    private void watch(LinuxPath folder, Fd fd) throws LinuxException {
        if (watchOf.containsKey(folder)) {
            return;
        }
        if (kernel.files().filesystem(fd).isRemote()) {
            polled.add(folder); // other machines' changes are not reported; our own still are
        }
        try {
            OptionalInt watch = kernel.watches().addWatch(inotify, fd.procPath(), FOLDER_EVENTS);
            if (watch.isPresent()) {
                LinuxPath known = byWatch.putIfAbsent(watch.getAsInt(), folder);
                if (known == null) {
                    watchOf.put(folder, watch.getAsInt());
                }
            }
        } catch (LinuxException e) {
            if (e.errno() != Errno.ENOSPC) {
                throw e;
            }
            polled.add(folder);
            log.report(
                    Event.WATCH_LIMIT,
                    folder,
                    "the limit of inotify watches is reached (ENOSPC). Raise fs.inotify.max_user_watches.");
        }
    }

    private void missing(LinuxPath folder) {
        polled.remove(folder);
        unreadable.remove(folder);
        if (roots.contains(folder) && missingRoots.add(folder)) {
            log.report(Event.ROOT_MISSING, folder, "the folder does not exist yet; waiting for it");
        }
    }

    private void unreadable(LinuxPath folder, LinuxException e) {
        switch (e.errno()) {
            case ENOTDIR -> missing(folder); // an entry of unknown type, or a link to a file
            case ELOOP, EXDEV -> {} // a symbolic link: not followed unless follow_symlinks
            default -> {
                polled.add(folder);
                unreadable.add(folder);
                log.report(Event.DIRECTORY_UNREADABLE, folder, e.getMessage() + ". Give the agent read permission.");
            }
        }
    }

    /** Stops watching a folder that is gone and everything below it; a root is waited for again. */
    void forget(LinuxPath folder) throws LinuxException {
        List<LinuxPath> below = watchOf.keySet().stream()
                .filter(path -> path.startsWith(folder))
                .toList();
        for (LinuxPath path : below) {
            Integer watch = watchOf.remove(path);
            if (watch != null) {
                byWatch.remove(watch);
                kernel.watches().removeWatch(inotify, watch);
            }
        }
        polled.removeIf(path -> path.startsWith(folder));
        unreadable.removeIf(path -> path.startsWith(folder));
        for (LinuxPath root : roots) {
            if (root.startsWith(folder)) {
                missingRoots.add(root);
            }
        }
    }

    int follow(Fd file) {
        try {
            OptionalInt watch = kernel.watches().addWatch(inotify, file.procPath(), FILE_EVENTS);
            if (watch.isPresent() && !byWatch.containsKey(watch.getAsInt())) {
                followed.add(watch.getAsInt());
                return watch.getAsInt();
            }
        } catch (LinuxException e) {
            log.report(Event.WATCH_LIMIT, file, e.getMessage() + "; the file is looked at by the slow scan");
        }
        return -1;
    }

    void unfollow(int watch) throws LinuxException {
        if (followed.remove(watch)) {
            kernel.watches().removeWatch(inotify, watch);
        }
    }
}
