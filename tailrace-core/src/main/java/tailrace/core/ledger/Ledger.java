package tailrace.core.ledger;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.World;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * The journal that survives a crash. The loop appends records, which costs no system call; one writer thread makes all
 * that has collected durable with a single fdatasync (group commit). A ledger that has grown far beyond its snapshot is
 * written anew: a new file, renamed over nothing, so that at each moment one whole ledger exists.
 *
 * <p>For the loop's thread alone.
 */
public final class Ledger implements AutoCloseable {
    /** Records that nobody waits for are written after this long: what a crash may make us deliver again. */
    private static final long LINGER_NANOS = 200_000_000L;

    private static final long FULL_RETRY_NANOS = 1_000_000_000L;
    private static final long MIN_COMPACTION_BYTES = 4L << 20;
    private static final int COMPACTION_FACTOR = 4;
    private static final LinuxPath USED = LinuxPath.of("used");
    private static final LinuxPath NEXT = LinuxPath.of("ledger.next");

    /** What the writer thread is to do: append to the file, or write a new one. */
    private record Commit(byte[] bytes, long upTo, boolean newFile) {}

    /** A ledger file, open. */
    record Written(Fd file, long lengthBytes) {}

    /** How a commit ended; empty if it succeeded. */
    private record Outcome(Commit commit, Optional<LinuxException> failure) {}

    private final Kernel kernel;
    private final FileCalls files;
    private final World world;
    private final EventLog log;
    private final StateDirectory directory;
    private final Executor writer;
    private final Runnable wake;
    private final String id;
    private final LedgerState recovered;
    private final Journal.Frames pending = new Journal.Frames();
    private final AtomicReference<@Nullable Outcome> outcome = new AtomicReference<>();
    private int generation;
    private Fd file;
    private long fileBytes;
    private long snapshotBytes;

    /** Not even position 0, which is what was read: it may have come from the page cache of a disk that refused it. */
    private long durable = -1;

    private long retryAtNanos = Long.MIN_VALUE;
    private long pendingSinceNanos;
    private boolean urgent;
    private boolean committing;
    private @Nullable Commit unwritten;

    private Ledger(
            World world,
            EventLog log,
            StateDirectory directory,
            Runnable wake,
            String id,
            LedgerState recovered,
            int generation,
            Fd file,
            long fileBytes) {
        this.kernel = world.kernel();
        this.files = kernel.files();
        this.world = world;
        this.log = log;
        this.directory = directory;
        this.writer = world.workers().pool("ledger", 1);
        this.wake = wake;
        this.id = id;
        this.recovered = recovered;
        this.generation = generation;
        this.file = file;
        this.fileBytes = fileBytes;
        this.snapshotBytes = fileBytes;
    }

    /**
     * Reads the ledger of a state directory, or makes a new one with a random id.
     *
     * @param wake called from the writer thread when something has become durable
     * @throws LedgerException if there is one that cannot be used: then nothing is changed
     */
    public static Ledger open(World world, EventLog log, StateDirectory directory, Runnable wake)
            throws LedgerException {
        Kernel kernel = world.kernel();
        Optional<LedgerFile.Content> content = LedgerFile.read(kernel, directory.path(), each -> {});
        try {
            if (content.isEmpty()) {
                return create(world, log, directory, wake);
            }
            LedgerFile.Content read = content.get();
            Fd file = kernel.files()
                    .open(directory.fd(), read.name(), OpenHow.create(0600))
                    .orElseThrow();
            refuseIfCopy(kernel.files(), directory, read.state(), file);
            if (read.isTorn()) { // it stays so: the first commit writes a new file
                log.report(
                        Event.LEDGER_TORN,
                        read.name(),
                        (read.fileBytes() - read.validBytes()) + " bytes of an unfinished commit are left behind");
            }
            return new Ledger(
                    world, log, directory, wake, read.id(), read.state(), read.generation(), file, read.validBytes());
        } catch (LinuxException e) {
            throw new LedgerException("cannot write the ledger in " + directory.path() + ": " + e.getMessage(), e);
        }
    }

    private static void refuseIfCopy(FileCalls files, StateDirectory directory, LedgerState state, Fd file)
            throws LinuxException, LedgerException {
        if (state.origin().isEmpty()) {
            return;
        }
        Optional<String> why = Origins.whyCopy(state.origin().get(), Origins.of(files, file));
        if (why.isPresent()) {
            files.close(file);
            throw new LedgerException("the ledger in " + directory.path() + " is a copy: " + why.get()
                    + ". Going on with it would give new batches the names of delivered ones. Nothing was changed."
                    + " Make it this agent's own with: tailrace ledger adopt --state " + directory.path());
        }
    }

    private static Ledger create(World world, EventLog log, StateDirectory directory, Runnable wake)
            throws LinuxException {
        FileCalls files = world.kernel().files();
        byte[] random = new byte[4];
        world.random().nextBytes(random);
        String id = HexFormat.of().formatHex(random);
        var frames = new Journal.Frames();
        frames.add(new LedgerRecord.SnapshotEnd(0));
        Written written = writeFile(world.kernel(), directory, LedgerFile.name(1), id, frames.take());
        files.close(files.open(directory.fd(), USED, OpenHow.create(0600)).orElseThrow());
        files.fsync(directory.fd());
        return new Ledger(world, log, directory, wake, id, new LedgerState(), 1, written.file, written.lengthBytes);
    }

    /** Writes a whole ledger under a temporary name, makes it durable, and renames it. */
    static Written writeFile(Kernel kernel, StateDirectory directory, LinuxPath name, String id, byte[] frames)
            throws LinuxException {
        FileCalls files = kernel.files();
        kernel.names().unlink(directory.fd(), NEXT);
        Fd file = files.open(directory.fd(), NEXT, OpenHow.createNew(0600)).orElseThrow();
        try {
            write(files, file, Journal.header(id), 0);
            var origin = new Journal.Frames();
            origin.add(Origins.of(files, file));
            byte[] first = origin.take();
            write(files, file, first, Journal.HEADER_BYTES);
            write(files, file, frames, Journal.HEADER_BYTES + first.length);
            files.fdatasync(file);
            kernel.names().rename(directory.fd(), NEXT, directory.fd(), name);
            files.fsync(directory.fd());
            return new Written(file, Journal.HEADER_BYTES + first.length + (long) frames.length);
        } catch (LinuxException e) {
            files.close(file);
            throw e;
        }
    }

    private static void write(FileCalls files, Fd file, byte[] bytes, long offset) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            files.pwriteFully(file, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), offset);
        }
    }

    /** Eight hexadecimal digits, drawn when the ledger was made. */
    public String id() {
        return id;
    }

    /** What earlier runs wrote. */
    public LedgerState recovered() {
        return recovered;
    }

    /**
     * Remembers something; durable soon, or at once after {@link #hurry}.
     *
     * @return its position, for {@link #isDurable}
     */
    public long append(LedgerRecord ledgerRecord) {
        if (pending.isEmpty()) {
            pendingSinceNanos = world.clock().nanos();
            pending.add(new LedgerRecord.CommitStarted());
        }
        pending.add(ledgerRecord);
        return pending.count();
    }

    /** Somebody waits for what was appended. */
    public void hurry() {
        urgent = true;
    }

    /** Whether everything up to a position is durable; 0 stands for what earlier runs wrote. */
    public boolean isDurable(long position) {
        return position <= durable;
    }

    /** Whether everything appended is durable. */
    public boolean isClean() {
        return pending.isEmpty() && unwritten == null && !committing;
    }

    /**
     * Takes note of a commit that has ended, and begins the next if it is time.
     *
     * @throws LedgerException if the ledger cannot be written at all: the agent must stop, since a failed fdatasync
     *     says that written bytes may be gone
     */
    public void commit() throws LedgerException {
        Outcome ended = outcome.getAndSet(null);
        if (ended != null) {
            committing = false;
            finish(ended);
        }
        long now = world.clock().nanos();
        if (committing || now < retryAtNanos) {
            return;
        }
        Commit next = unwritten;
        if (next == null && !pending.isEmpty() && (urgent || now - pendingSinceNanos >= LINGER_NANOS)) {
            next = new Commit(pending.take(), pending.count(), false);
            urgent = false;
        }
        if (next != null) {
            begin(next);
        }
    }

    private void begin(Commit commit) {
        unwritten = commit;
        committing = true;
        writer.execute(() -> {
            Optional<LinuxException> failure = Optional.empty();
            try {
                if (commit.newFile) {
                    rewrite(commit);
                } else {
                    write(files, file, commit.bytes, fileBytes);
                    files.fdatasync(file);
                    fileBytes += commit.bytes.length;
                }
            } catch (LinuxException e) {
                failure = Optional.of(e);
            }
            outcome.set(new Outcome(commit, failure)); // publishes file and fileBytes to the loop, too
            wake.run();
        });
    }

    private void rewrite(Commit commit) throws LinuxException {
        Fd old = file;
        Written written = writeFile(kernel, directory, LedgerFile.name(generation + 1), id, commit.bytes);
        generation++;
        file = written.file;
        fileBytes = written.lengthBytes;
        snapshotBytes = fileBytes;
        files.close(old);
        LedgerFile.removeOlder(kernel, directory.fd(), generation);
    }

    private void finish(Outcome ended) throws LedgerException {
        if (ended.failure.isEmpty()) {
            unwritten = null;
            durable = ended.commit.upTo;
            return;
        }
        LinuxException failure = ended.failure.get();
        boolean full = failure.errno() == Errno.ENOSPC || failure.errno() == Errno.EDQUOT;
        if (!full || failure.call().startsWith("f")) { // fsync and fdatasync: what was written may be gone
            throw new LedgerException(
                    "cannot write the ledger in " + directory.path() + ": " + failure.getMessage(), failure);
        }
        log.report(Event.LEDGER_FULL, directory.path(), "free some space; until then deliveries wait");
        retryAtNanos = world.clock().nanos() + FULL_RETRY_NANOS;
    }

    /** Whether a snapshot would be much shorter than the journal. Only asked, and answered yes, between commits. */
    public boolean wantsSnapshot() {
        return !committing
                && unwritten == null
                && fileBytes > Math.max(MIN_COMPACTION_BYTES, COMPACTION_FACTOR * snapshotBytes);
    }

    /**
     * Writes the ledger anew.
     *
     * @param state all there is to remember, including what is not durable yet
     */
    public void snapshot(List<LedgerRecord> state) {
        var frames = new Journal.Frames();
        state.forEach(frames::add);
        frames.add(new LedgerRecord.SnapshotEnd(state.size()));
        pending.take(); // contained in the snapshot
        log.report(Event.LEDGER_COMPACTED, LedgerFile.name(generation + 1), state.size() + " records");
        begin(new Commit(frames.take(), pending.count(), true));
    }

    /** When {@link #commit} should be called, if nothing happens before. */
    public long nextDeadlineNanos() {
        if (committing || isClean()) {
            return Long.MAX_VALUE;
        }
        long due = urgent || unwritten != null ? Long.MIN_VALUE : pendingSinceNanos + LINGER_NANOS;
        return Math.max(due, retryAtNanos);
    }

    @Override
    public void close() throws LinuxException {
        files.close(file);
    }
}
