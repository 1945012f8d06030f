package tailrace.core.ledger;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tailrace.core.batch.Extent;
import tailrace.core.ledger.LedgerRecord.FileState;
import tailrace.core.ledger.LedgerRecord.RouteState;
import tailrace.core.ledger.LedgerRecord.Sealed;
import tailrace.core.track.Books;
import tailrace.core.track.FileIdentity;
import tailrace.core.track.Inheritance;
import tailrace.core.track.Progress;
import tailrace.core.track.Withheld;
import tailrace.linux.LinuxPath;

/** What a ledger says, replayed record by record: recovery is nothing but this. */
public final class LedgerState {
    /** A key of a resumable sink. */
    public record RouteKey(String route, LinuxPath key) {}

    private record BatchNumber(int run, long sequence) {}

    private static final class FileEntry {
        FileState state;

        @Nullable
        Inheritance inheritance;

        final Map<String, Progress> progress = new LinkedHashMap<>();

        FileEntry(FileState state) {
            this.state = state;
        }
    }

    private final Map<Integer, FileEntry> files = new LinkedHashMap<>();
    private final Map<BatchNumber, Sealed> open = new LinkedHashMap<>();
    private final Map<RouteKey, Long> keyLengths = new LinkedHashMap<>();
    private final Map<String, Books> closed = new HashMap<>();
    private int runs;
    private int nextFile;
    private String lastHost = "";
    private boolean whole;
    private LedgerRecord.@Nullable Origin origin;

    void apply(LedgerRecord ledgerRecord) throws IOException {
        switch (ledgerRecord) {
            case LedgerRecord.RunStarted started -> {
                runs = started.run();
                lastHost = started.host();
            }
            case FileState state -> fileState(state);
            case LedgerRecord.Grown(int file, long seen) -> grow(file, seen);
            case LedgerRecord.FileForgotten(int file) -> forget(file);
            case LedgerRecord.Closed(String route, long seen, long delivered, long lost, long filtered) ->
                closed.put(route, new Books(seen, delivered, 0, lost, filtered));
            case Sealed batch -> seal(batch);
            case LedgerRecord.Reopened(Sealed batch) -> reopen(batch);
            case LedgerRecord.Delivered delivered -> deliver(delivered);
            case LedgerRecord.Abandoned(int run, long sequence) -> abandon(take(run, sequence));
            case LedgerRecord.KeyLength(String route, LinuxPath key, long length) ->
                keyLengths.put(new RouteKey(route, key), length);
            case LedgerRecord.Lost lost -> entry(lost.file());
            case LedgerRecord.SnapshotEnd end -> whole = true;
            case LedgerRecord.CommitStarted started -> {}
            case LedgerRecord.Origin said -> origin = said;
            case LedgerRecord.Identified(int file, FileIdentity identity) -> identify(entry(file), identity);
            case LedgerRecord.CopyOf(int file, Inheritance inheritance) -> entry(file).inheritance = inheritance;
        }
    }

    private void fileState(FileState state) {
        nextFile = Math.max(nextFile, state.file() + 1);
        var entry = new FileEntry(state);
        for (RouteState route : state.routes()) {
            var progress = new Progress(
                    route.elsewhereBytes(),
                    route.sealed(),
                    route.guard(),
                    route.deliveredBytes(),
                    route.lostBytes(),
                    route.filteredBytes());
            progress.returned().addAll(route.returned());
            entry.progress.put(route.route(), progress);
        }
        FileEntry before = files.put(state.file(), entry);
        entry.inheritance = before == null ? null : before.inheritance;
        for (Sealed batch : open.values()) {
            for (Extent extent : batch.extents()) {
                Progress progress = entry.progress.get(batch.route());
                if (extent.file() == state.file() && progress != null) {
                    progress.reopen(extent.lengthBytes());
                }
            }
        }
    }

    private void grow(int file, long seen) throws IOException {
        FileEntry entry = entry(file);
        FileState s = entry.state;
        entry.state = new FileState(
                file, s.identity(), s.firstPath(), s.epoch(), Math.max(s.seen(), seen), s.seenBefore(), s.routes());
    }

    private static void identify(FileEntry entry, FileIdentity identity) {
        FileState s = entry.state;
        entry.state = new FileState(s.file(), identity, s.firstPath(), s.epoch(), s.seen(), s.seenBefore(), s.routes());
    }

    private void forget(int file) throws IOException {
        FileEntry entry = entry(file);
        entry.progress.forEach((route, progress) -> {
            long seen = entry.state.seenBefore() + entry.state.seen() - progress.elsewhereBytes();
            var books = new Books(seen, progress.deliveredBytes(), 0, progress.lostBytes(), progress.filteredBytes());
            closed.merge(route, books, Books::plus);
        });
        files.remove(file);
    }

    private void seal(Sealed batch) throws IOException {
        open.put(new BatchNumber(batch.run(), batch.sequence()), batch);
        for (Extent extent : batch.extents()) {
            Progress progress = progress(extent, batch.route());
            if (extent.from() == progress.sealed()
                    && extent.epoch() == entry(extent.file()).state.epoch()) {
                progress.seal(extent.to(), extent.guard());
            } else if (!progress.returned().isEmpty()
                    && progress.returned().getFirst().from() == extent.from()) {
                progress.sealReturned(extent.to());
            } else {
                throw new IOException("batch " + batch.sequence() + " seals bytes that do not follow: " + extent);
            }
            grow(extent.file(), extent.to());
        }
    }

    private void reopen(Sealed batch) throws IOException {
        open.put(new BatchNumber(batch.run(), batch.sequence()), batch);
        for (Extent extent : batch.extents()) {
            progress(extent, batch.route()).reopen(extent.lengthBytes());
        }
    }

    private void deliver(LedgerRecord.Delivered delivered) throws IOException {
        Sealed batch = take(delivered.run(), delivered.sequence());
        if (!delivered.withheld().isEmpty()
                && delivered.withheld().size() != batch.extents().size()) {
            throw new IOException("batch " + batch.sequence() + " was delivered with other extents than it has");
        }
        for (int i = 0; i < batch.extents().size(); i++) {
            Extent extent = batch.extents().get(i);
            progress(extent, batch.route()).delivered(extent.lengthBytes(), Withheld.of(delivered.withheld(), i));
        }
        var key = new RouteKey(batch.route(), batch.key());
        keyLengths.computeIfPresent(key, (k, length) -> delivered.position() + delivered.lengthBytes());
    }

    private void abandon(Sealed batch) throws IOException {
        for (Extent extent : batch.extents()) {
            if (extent.epoch() == entry(extent.file()).state.epoch()) {
                progress(extent, batch.route()).giveBack(extent.range());
            } else {
                progress(extent, batch.route()).outstandingLost(extent.lengthBytes()); // a state of the file follows
            }
        }
    }

    /** How many bytes of files an open batch has; 0 if there is no such. */
    long sealedBytes(int run, long sequence) {
        Sealed batch = open.get(new BatchNumber(run, sequence));
        return batch == null ? 0 : batch.lengthBytes();
    }

    private Sealed take(int run, long sequence) throws IOException {
        Sealed batch = open.remove(new BatchNumber(run, sequence));
        if (batch == null) {
            throw new IOException("batch " + run + "-" + sequence + " ends but was never sealed");
        }
        return batch;
    }

    private Progress progress(Extent extent, String route) throws IOException {
        Progress progress = entry(extent.file()).progress.get(route);
        if (progress == null) {
            throw new IOException("file " + extent.file() + " does not travel on " + route);
        }
        return progress;
    }

    private FileEntry entry(int file) throws IOException {
        FileEntry entry = files.get(file);
        if (entry == null) {
            throw new IOException("file " + file + " was never seen");
        }
        return entry;
    }

    FileState file(int number) throws IOException {
        return entry(number).state;
    }

    /** The files that are known, with what was last said of each. */
    public Collection<FileState> files() {
        return files.values().stream().map(entry -> entry.state).toList();
    }

    /** How far a file has come on a route: a live object, handed over to who continues. */
    public Optional<Progress> progress(int file, String route) {
        @Nullable FileEntry entry = files.get(file);
        return entry == null ? Optional.empty() : Optional.ofNullable(entry.progress.get(route));
    }

    /** Whose copy a file is, if it is one. */
    public Optional<Inheritance> inheritance(int file) {
        @Nullable FileEntry entry = files.get(file);
        return entry == null ? Optional.empty() : Optional.ofNullable(entry.inheritance);
    }

    /** Batches sealed and not delivered, in the order of sealing. */
    public Collection<Sealed> openBatches() {
        return open.values();
    }

    public Map<RouteKey, Long> keyLengths() {
        return keyLengths;
    }

    /** The books of forgotten files, by route. */
    public Map<String, Books> closed() {
        return closed;
    }

    /** How often the agent was started with this ledger. */
    public int runs() {
        return runs;
    }

    /** What the ledger says of itself, if it is not from before that was written down. */
    Optional<LedgerRecord.Origin> origin() {
        return Optional.ofNullable(origin);
    }

    public String lastHost() {
        return lastHost;
    }

    /** The number of the next file. */
    public int nextFile() {
        return nextFile;
    }

    /** Whether the snapshot at its start is complete. */
    boolean isWhole() {
        return whole;
    }

    /** The books of all files on a route. */
    public Books books(String route) {
        Books sum = closed.getOrDefault(route, Books.EMPTY);
        for (FileEntry entry : files.values()) {
            Progress p = entry.progress.get(route);
            if (p != null) {
                FileState s = entry.state;
                long pending = s.seen() - p.sealed() + p.returnedBytes() + p.outstandingBytes();
                sum = sum.plus(new Books(
                        s.seenBefore() + s.seen() - p.elsewhereBytes(),
                        p.deliveredBytes(),
                        pending,
                        p.lostBytes(),
                        p.filteredBytes()));
            }
        }
        return sum;
    }

    /** The names of all routes that anything is known of. */
    public Collection<String> routes() {
        var routes = new java.util.TreeSet<>(closed.keySet());
        files.values().forEach(entry -> routes.addAll(entry.progress.keySet()));
        return routes;
    }
}
