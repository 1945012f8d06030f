package tailrace.core.watch;

import java.util.List;
import java.util.Optional;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * Opens what is below an include's folder, and nothing else: unless the source follows symbolic links, a link anywhere
 * below that folder is refused by the kernel itself (openat2 RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS).
 */
public final class SafeOpen {
    private final FileCalls files;
    private final List<Source> sources;

    public SafeOpen(FileCalls files, List<Source> sources) {
        this.files = files;
        this.sources = List.copyOf(sources);
    }

    /**
     * Opens an absolute path.
     *
     * @return empty if there is no such name
     * @throws LinuxException ELOOP at a symbolic link, EACCES, EMFILE, ...
     */
    public Optional<Fd> open(LinuxPath path, OpenHow how) throws LinuxException {
        Optional<LinuxPath> root = rootWithoutLinks(path);
        if (root.isEmpty()) {
            return files.open(Fd.CURRENT_DIRECTORY, path, how);
        }
        if (root.get().equals(path)) {
            return files.open(Fd.CURRENT_DIRECTORY, path, how);
        }
        Optional<Fd> folder = files.open(Fd.CURRENT_DIRECTORY, root.get(), OpenHow.place());
        if (folder.isEmpty()) {
            return Optional.empty();
        }
        try {
            return files.open(folder.get(), path.relativeTo(root.get()), how.beneathWithoutLinks());
        } catch (LinuxException e) {
            if (e.errno() == Errno.ENOSYS) { // before Linux 5.6: at least the last name is no link
                return files.open(Fd.CURRENT_DIRECTORY, path, how.noFollow());
            }
            throw e;
        } finally {
            files.close(folder.get());
        }
    }

    /** The folder below which links are refused; empty if a source that follows links may mean the path. */
    private Optional<LinuxPath> rootWithoutLinks(LinuxPath path) {
        Optional<LinuxPath> found = Optional.empty();
        for (Source source : sources) {
            for (Glob include : source.includes()) {
                if (!path.startsWith(include.root())) {
                    continue;
                }
                if (source.followSymlinks()) {
                    return Optional.empty();
                }
                if (found.isEmpty()
                        || found.get().lengthBytes() > include.root().lengthBytes()) {
                    found = Optional.of(include.root());
                }
            }
        }
        return found;
    }
}
