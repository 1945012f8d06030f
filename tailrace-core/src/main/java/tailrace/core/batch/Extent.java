package tailrace.core.batch;

import tailrace.core.track.FileIdentity;
import tailrace.core.track.Range;
import tailrace.linux.LinuxPath;

/**
 * Bytes {@code [from, to)} of a file: what flows through the program in place of bytes.
 *
 * @param file the file's number in the ledger
 * @param path what it was called when this was sealed, for people
 * @param headBytes so many of the first belong to a record that began before {@code from}; 0 where records are lines
 * @param guardBefore {@link tailrace.core.track.Guard} of {@code from}, so that the seal can be undone
 * @param guard guard of {@code to}: read again after the bytes have moved, before they count
 */
public record Extent(
        int file,
        FileIdentity identity,
        LinuxPath path,
        int epoch,
        long from,
        long to,
        long headBytes,
        int guardBefore,
        int guard) {
    public Extent {
        if (from < 0 || to <= from || headBytes < 0 || headBytes > to - from) {
            throw new IllegalArgumentException("not an extent: [" + from + ", " + to + ") of " + path);
        }
    }

    public long lengthBytes() {
        return to - from;
    }

    public Range range() {
        return new Range(from, to);
    }
}
