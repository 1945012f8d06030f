package tailrace.core.track;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.watch.Glob;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** Opens regular files by name or handle, and nothing else: a FIFO or a device is never opened, not even to look. */
final class FileFinder {
    private static final int MAX_SKIPPED = 1000;

    /** An open file, which the receiver owns. */
    record Found(Fd fd, FileStatus status, FileIdentity identity) {}

    private final FileCalls files;
    private final SafeOpen open;
    private final EventLog log;
    private final Identification identification;
    private final Set<LinuxPath> skipped = new LinkedHashSet<>();

    FileFinder(Kernel kernel, SafeOpen open, EventLog log) {
        this.files = kernel.files();
        this.open = open;
        this.log = log;
        this.identification = new Identification(files);
    }

    /**
     * Opens a file by name.
     *
     * @return empty if there is none, or if it is none that can be followed
     */
    Optional<Found> open(LinuxPath path) throws LinuxException {
        Optional<FileStatus> status = files.status(Fd.CURRENT_DIRECTORY, path);
        if (status.isEmpty()) {
            return Optional.empty();
        }
        if (!status.get().isRegular() && !status.get().isSymbolicLink()) {
            return skip(path, "it is " + status.get().kind());
        }
        Optional<Fd> fd;
        try {
            fd = open.open(path, OpenHow.read());
        } catch (LinuxException e) {
            if (e.errno() == Errno.ELOOP || e.errno() == Errno.EXDEV) {
                return skip(path, "it is, or lies behind, a symbolic link. Set follow_symlinks: true to follow it.");
            }
            throw e;
        }
        return fd.isEmpty() ? Optional.empty() : identified(fd.get(), path);
    }

    private Optional<Found> identified(Fd fd, LinuxPath path) throws LinuxException {
        try {
            FileStatus status = files.status(fd);
            if (!status.isRegular()) {
                files.close(fd);
                return skip(path, "it is " + status.kind());
            }
            FileIdentity identity = identification.identify(fd, status);
            if (identity.step() == FileIdentity.Step.INODE_AND_BIRTH) {
                log.report(Event.WEAK_IDENTITY, "filesystem " + identity.filesystem(), "of " + path);
            }
            skipped.remove(path);
            return Optional.of(new Found(fd, status, identity));
        } catch (LinuxException e) {
            files.close(fd);
            throw e;
        }
    }

    private Optional<Found> skip(LinuxPath path, String why) {
        if (skipped.size() >= MAX_SKIPPED) {
            skipped.clear();
        }
        if (skipped.add(path)) {
            log.report(Event.FILE_SKIPPED, path, why);
        }
        return Optional.empty();
    }

    /** Whether the name was found to be nothing that can be followed. */
    boolean isSkipped(LinuxPath path) {
        return skipped.contains(path);
    }

    /** As {@link #open(LinuxPath)}, where a failure does not matter. */
    Optional<Found> openQuietly(LinuxPath path) {
        try {
            return open(path);
        } catch (LinuxException e) {
            return Optional.empty();
        }
    }

    /** Gives back what was found and is not needed. */
    void close(Found found) throws LinuxException {
        files.close(found.fd());
    }

    /** Whether the name still leads to the file, which is held open, so that its inode number cannot be another's. */
    boolean isStill(TrackedFile file, LinuxPath path) {
        try {
            Optional<FileStatus> status = files.status(Fd.CURRENT_DIRECTORY, path);
            return status.isPresent()
                    && status.get().inode() == file.inode
                    && status.get().device() == file.device;
        } catch (LinuxException e) {
            return false;
        }
    }

    /** Opens a tracked file again by its name or pin; empty if the name is another file's now. */
    Optional<Fd> reopen(TrackedFile file) throws LinuxException {
        Optional<Found> found = openQuietly(file.reachablePath());
        if (found.isPresent() && !found.get().identity().equals(file.identity())) {
            files.close(found.get().fd());
            return Optional.empty();
        }
        return found.map(Found::fd);
    }

    /** Opens a file by its pin; empty if it has none. */
    Optional<Found> openPin(TrackedFile file) throws LinuxException {
        LinuxPath pin = file.pin;
        Optional<Found> found = pin == null ? Optional.empty() : open(pin);
        if (found.isPresent()
                && !found.get().identity().handle().equals(file.identity().handle())) {
            close(found.get());
            return Optional.empty();
        }
        return found;
    }

    /** Looks for a file that no scan has found: by its handle, anywhere on its filesystem, if we are allowed to. */
    Optional<Found> search(TrackedFile file, List<Route> routes) throws LinuxException {
        Optional<Fd> root = rootOn(file, routes);
        if (root.isEmpty() || file.identity().step() != FileIdentity.Step.FILE_HANDLE) {
            return Optional.empty();
        }
        try {
            Optional<Fd> fd = files.openByHandle(root.get(), file.identity().handle(), OpenHow.read());
            return fd.isEmpty() ? Optional.empty() : identified(fd.get(), file.path());
        } catch (LinuxException e) {
            return Optional.empty(); // EPERM, or a handle that only identifies (overlayfs)
        } finally {
            files.close(root.get());
        }
    }

    /** Whether the filesystem that the file lay on is mounted: only then does its absence mean anything. */
    boolean filesystemIsThere(TrackedFile file, List<Route> routes) throws LinuxException {
        Optional<Fd> root = rootOn(file, routes);
        if (root.isPresent()) {
            files.close(root.get());
        }
        return root.isPresent();
    }

    private Optional<Fd> rootOn(TrackedFile file, List<Route> routes) throws LinuxException {
        for (Route route : routes) {
            for (Glob include : route.source().includes()) {
                Optional<Fd> root = files.open(Fd.CURRENT_DIRECTORY, include.root(), OpenHow.directory());
                if (root.isEmpty()) {
                    continue;
                }
                if (identification.filesystem(root.get()).equals(file.identity().filesystem())) {
                    return root;
                }
                files.close(root.get());
            }
        }
        return Optional.empty();
    }
}
