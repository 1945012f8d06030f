package tailrace.core.ledger;

import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import tailrace.core.batch.Extent;
import tailrace.core.track.FileIdentity;
import tailrace.core.track.Inheritance;
import tailrace.core.track.LossReason;
import tailrace.core.track.Range;
import tailrace.core.track.Withheld;
import tailrace.linux.LinuxPath;

/**
 * What the ledger remembers. {@link FileState} is the whole state of one file, written when something unusual happened
 * to it and in snapshots; {@link Sealed} and {@link Delivered} change it by the ordinary way of the data.
 */
public sealed interface LedgerRecord {
    /** The agent started; batches are numbered anew under this run. */
    record RunStarted(int run, Instant at, String host) implements LedgerRecord {}

    /** Everything about a file, but for what is in open batches. Takes the place of whatever was known. */
    record FileState(
            int file,
            FileIdentity identity,
            LinuxPath firstPath,
            int epoch,
            long seen,
            long seenBefore,
            List<RouteState> routes)
            implements LedgerRecord {
        public FileState {
            routes = List.copyOf(routes);
        }
    }

    /** How far a file has come on a route: see {@link tailrace.core.track.Progress}. */
    record RouteState(
            String route,
            long elsewhereBytes,
            long sealed,
            int guard,
            long deliveredBytes,
            long lostBytes,
            long filteredBytes,
            List<Range> returned) {
        public RouteState {
            returned = List.copyOf(returned);
        }
    }

    /** A file has grown; for the books, not for positions. */
    record Grown(int file, long seen) implements LedgerRecord {}

    /** A file is deleted and delivered; its books are closed. */
    record FileForgotten(int file) implements LedgerRecord {}

    /** The books of all files of a route that were forgotten. */
    record Closed(String route, long seen, long delivered, long lost, long filtered) implements LedgerRecord {}

    /** A batch was sealed. */
    record Sealed(
            int run,
            long sequence,
            String route,
            String partition,
            LinuxPath key,
            Instant sealedAt,
            List<Extent> extents)
            implements LedgerRecord {
        public Sealed {
            extents = List.copyOf(extents);
        }

        public long lengthBytes() {
            return extents.stream().mapToLong(Extent::lengthBytes).sum();
        }
    }

    /** In a snapshot: a batch that is sealed and not delivered, and is contained in the file states already. */
    record Reopened(Sealed batch) implements LedgerRecord {}

    /**
     * A batch is in the sink.
     *
     * @param lengthBytes of what the sink holds of it, which may be other than that of its extents
     * @param withheld of its extents, in their order; empty if nothing was
     */
    record Delivered(
            int run, long sequence, long position, long lengthBytes, OptionalInt crc32c, List<Withheld> withheld)
            implements LedgerRecord {
        public Delivered {
            withheld = List.copyOf(withheld);
        }
    }

    /** A batch will never be delivered: its extents are to be sealed again, unless a {@link FileState} says else. */
    record Abandoned(int run, long sequence) implements LedgerRecord {}

    /** A resumable sink has so many bytes under a key. */
    record KeyLength(String route, LinuxPath key, long lengthBytes) implements LedgerRecord {}

    /** Bytes are gone: for people; the counts are in the file's state. */
    record Lost(int file, String route, int epoch, Range range, LossReason reason) implements LedgerRecord {}

    /** A file is the copy of another: see {@link Inheritance}. */
    record CopyOf(int file, Inheritance inheritance) implements LedgerRecord {}

    /**
     * Where and as which file the ledger is written, first of all in it: a copy betrays itself.
     *
     * @param machine a hash of the machine's id; empty if it has none
     */
    record Origin(String machine, FileIdentity file) implements LedgerRecord {}

    /** A file was found again under another identity: see {@link Adoption}. */
    record Identified(int file, FileIdentity identity) implements LedgerRecord {}

    /** A commit begins: all records before this one were durable when it was written. */
    record CommitStarted() implements LedgerRecord {}

    /** Ends a snapshot; without it a ledger is not whole. */
    record SnapshotEnd(long records) implements LedgerRecord {}
}
