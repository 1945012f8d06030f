package tailrace.core.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * The agent's own folder, locked for one agent: {@code lock} (the holder's process id), {@code ledger-*} (the journal),
 * {@code agent.sock} (status).
 */
public final class StateDirectory implements AutoCloseable {
    private static final LinuxPath LOCK = LinuxPath.of("lock");
    private static final int OWNER_ONLY = 0700;

    private final FileCalls files;
    private final LinuxPath path;
    private final Fd directory;
    private final Fd lock;

    private StateDirectory(FileCalls files, LinuxPath path, Fd directory, Fd lock) {
        this.files = files;
        this.path = path;
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Makes the folder if it is not there, and locks it.
     *
     * @throws LedgerException if it cannot be written, or another agent holds it
     */
    public static StateDirectory lock(Kernel kernel, LinuxPath path) throws LedgerException {
        FileCalls files = kernel.files();
        try {
            makeFolders(kernel, path);
            Fd directory = files.open(Fd.CURRENT_DIRECTORY, path, OpenHow.directory())
                    .orElseThrow(() -> new LedgerException("the state directory " + path + " is not there"));
            Fd lock = files.open(directory, LOCK, OpenHow.create(0600)).orElseThrow();
            if (!files.tryLock(lock)) {
                String holder = readText(files, lock);
                files.close(lock);
                files.close(directory);
                throw new LedgerException("the state directory " + path + " is in use by process " + holder
                        + ". Stop that one, or give this one another directory (state: in the configuration).");
            }
            writePid(kernel, lock);
            return new StateDirectory(files, path, directory, lock);
        } catch (LinuxException e) {
            throw new LedgerException(
                    "cannot use the state directory " + path + ": " + e.getMessage()
                            + ". Make it writable for this user, or choose another (state: in the configuration).",
                    e);
        }
    }

    /** For people only: a full disk is no reason not to start. */
    private static void writePid(Kernel kernel, Fd lock) throws LinuxException {
        try {
            writeText(kernel.files(), lock, Long.toString(kernel.processId()));
        } catch (LinuxException e) {
            if (e.errno() != Errno.ENOSPC && e.errno() != Errno.EDQUOT) {
                throw e;
            }
        }
    }

    private static void makeFolders(Kernel kernel, LinuxPath path) throws LinuxException {
        if (kernel.files().status(Fd.CURRENT_DIRECTORY, path).isPresent()) {
            return;
        }
        LinuxPath parent = path.parent();
        if (parent.lengthBytes() > 0 && !parent.equals(path)) {
            makeFolders(kernel, parent);
        }
        kernel.names().mkdir(Fd.CURRENT_DIRECTORY, path, OWNER_ONLY);
    }

    /** The process that holds the folder, if one does: found out without disturbing it. */
    public static Optional<String> holder(Kernel kernel, LinuxPath path) throws LinuxException {
        FileCalls files = kernel.files();
        Optional<Fd> lock = files.open(Fd.CURRENT_DIRECTORY, path.resolve(LOCK), OpenHow.read());
        if (lock.isEmpty()) {
            return Optional.empty();
        }
        try {
            return files.tryLock(lock.get()) ? Optional.empty() : Optional.of(readText(files, lock.get()));
        } finally {
            files.close(lock.get());
        }
    }

    private static String readText(FileCalls files, Fd fd) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(64);
            int n = files.pread(fd, buffer, 0);
            return new String(buffer.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE), US_ASCII).strip();
        }
    }

    private static void writeText(FileCalls files, Fd fd, String text) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            files.ftruncate(fd, 0);
            files.pwrite(fd, arena.allocateFrom(ValueLayout.JAVA_BYTE, (text + "\n").getBytes(US_ASCII)), 0);
        }
    }

    public LinuxPath path() {
        return path;
    }

    Fd fd() {
        return directory;
    }

    @Override
    public void close() throws LinuxException {
        files.close(lock);
        files.close(directory);
    }
}
