package tailrace.core.sink.file;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import tailrace.core.deliver.DeliveryException;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.NameCalls;
import tailrace.linux.OpenHow;

/** The folder that a file sink writes into: makes what is missing, and keeps what it makes durable if it is asked to. */
final class SinkFolder {
    private static final int FOLDER_MODE = 0755;
    static final int FILE_MODE = 0644;

    private final Kernel kernel;
    private final LinuxPath path;
    private final boolean durable;

    SinkFolder(Kernel kernel, LinuxPath path, boolean durable) {
        this.kernel = kernel;
        this.path = path;
        this.durable = durable;
    }

    Kernel kernel() {
        return kernel;
    }

    FileCalls files() {
        return kernel.files();
    }

    NameCalls names() {
        return kernel.names();
    }

    LinuxPath path() {
        return path;
    }

    /** Opens the folder that a key lies in, which the caller closes; made with all above it if it is not there. */
    Fd openParent(LinuxPath key) throws LinuxException {
        return openFolder(path.resolve(key).parent());
    }

    private Fd openFolder(LinuxPath folder) throws LinuxException {
        Optional<Fd> opened = files().open(Fd.CURRENT_DIRECTORY, folder, OpenHow.directory());
        return opened.isPresent() ? opened.get() : makeFolder(folder);
    }

    private Fd makeFolder(LinuxPath folder) throws LinuxException {
        Fd parent = openFolder(folder.parent());
        try {
            names().mkdir(parent, folder.fileName(), FOLDER_MODE);
            syncFolder(parent);
        } finally {
            files().close(parent);
        }
        return files().open(Fd.CURRENT_DIRECTORY, folder, OpenHow.directory()).orElseThrow();
    }

    /** Writes a small file, which has its name only when it is whole. */
    void put(LinuxPath key, byte[] bytes) throws LinuxException {
        Fd parent = openParent(key);
        try (Arena arena = Arena.ofConfined()) {
            LinuxPath temporary = LinuxPath.of("." + key.fileName());
            names().unlink(parent, temporary); // left by an attempt that was cut short
            Fd file = files().open(parent, temporary, OpenHow.createNew(FILE_MODE))
                    .orElseThrow();
            try {
                files().writeFully(file, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
                syncData(file);
            } finally {
                files().close(file);
            }
            names().rename(parent, temporary, parent, key.fileName());
            syncFolder(parent);
        } finally {
            files().close(parent);
        }
    }

    /** Makes a file's bytes durable, where the sink promises that. */
    void syncData(Fd file) throws LinuxException {
        if (durable) {
            files().fdatasync(file);
        }
    }

    /** Makes a folder's entries durable, where the sink promises that. */
    void syncFolder(Fd folder) throws LinuxException {
        if (durable) {
            files().fsync(folder);
        }
    }

    /** What a failure means: everything that can go wrong with a folder can be healed, so nothing is refused. */
    DeliveryException failure(LinuxException e) {
        String advice = switch (e.errno()) {
            case ENOSPC, EDQUOT -> "Free some space there; deliveries go on by themselves.";
            case EROFS -> "It is mounted read-only: remount it.";
            case EACCES, EPERM -> "Make it writable for this user.";
            case ENOTDIR -> "Something there is no folder: move it away.";
            case EMFILE, ENFILE -> "Raise the limit of open files (LimitNOFILE, ulimit -n).";
            default -> "It is tried again.";
        };
        return DeliveryException.transientFailure("cannot write to " + path + ": " + e.getMessage() + ". " + advice, e);
    }
}
