package tailrace.core.track;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;

/** How far one file has come on one route. Offsets are of the file's current epoch; counts are over all epochs. */
public final class Progress {
    /** Bytes of the file that are another file's in the books: those that a copy shares with its original. */
    private long elsewhereBytes;

    private long sealed;
    private int guard = Guard.NOTHING;
    private long outstandingBytes;
    private long deliveredBytes;
    private long lostBytes;
    private long filteredBytes;

    /** Bytes before {@link #sealed} that were sealed once and must be sealed again, in the order of the file. */
    private final NavigableSet<Range> returned = new TreeSet<>(Comparator.comparingLong(Range::from));

    /** Up to here no record was found to end, so that a long one is not searched again with each growth. */
    private long searchedTo;

    /** Where records begin that have their length before them: some of those that were met, so that none is sought twice. */
    private final NavigableSet<Long> recordStarts = new TreeSet<>();

    /** What the planner has counted as pending. */
    private long offeredTo;

    public Progress() {}

    public Progress(
            long elsewhereBytes, long sealed, int guard, long deliveredBytes, long lostBytes, long filteredBytes) {
        this.elsewhereBytes = elsewhereBytes;
        this.sealed = sealed;
        this.guard = guard;
        this.deliveredBytes = deliveredBytes;
        this.lostBytes = lostBytes;
        this.filteredBytes = filteredBytes;
    }

    /**
     * What is in no batch.
     *
     * @param seen how many bytes the file has
     */
    public List<Range> unsealed(long seen) {
        var left = new ArrayList<>(returned);
        if (sealed < seen) {
            left.add(new Range(sealed, seen));
        }
        return left;
    }

    /**
     * A copy goes on where its original was left.
     *
     * @param seen how many bytes the original had
     * @param size how many the copy has: fewer, if the original grew after it was copied
     * @param guardAtSize the copy's guard at its end
     * @return what the original had and nobody has now: lost
     */
    List<Range> continueFrom(Progress original, long seen, long size, int guardAtSize) {
        List<Range> left = original.unsealed(seen);
        var gone = new ArrayList<Range>();
        long handedOver = 0;
        for (Range range : left) {
            if (range.to() > size) {
                gone.add(new Range(Math.max(range.from(), size), range.to()));
            }
            handedOver += Math.max(0, Math.min(range.to(), size) - range.from());
        }
        for (Range range : original.returned) {
            if (range.from() < size) {
                returned.add(new Range(range.from(), Math.min(range.to(), size)));
            }
        }
        sealed = Math.min(original.sealed, size);
        guard = original.sealed <= size ? original.guard : guardAtSize;
        elsewhereBytes += sealed - returnedBytes();
        original.elsewhereBytes += handedOver;
        original.lostBytes += gone.stream().mapToLong(Range::lengthBytes).sum();
        return gone;
    }

    /** Sealed bytes that the original cannot give any more are the copy's to deliver. */
    void inherit(Progress original, Range range) {
        original.outstandingBytes -= range.lengthBytes();
        original.elsewhereBytes += range.lengthBytes();
        elsewhereBytes -= range.lengthBytes();
        returned.add(range);
    }

    void beginEpoch() {
        sealed = 0;
        searchedTo = 0;
        offeredTo = 0;
        guard = Guard.NOTHING;
        returned.clear();
        recordStarts.clear();
    }

    /** The next bytes of the file were sealed. */
    public void seal(long to, int guardAtEnd) {
        outstandingBytes += to - sealed;
        sealed = to;
        guard = guardAtEnd;
    }

    /** The first of the returned ranges was sealed again, up to an offset. */
    public void sealReturned(long to) {
        Range first = returned.removeFirst();
        if (to < first.to()) {
            returned.add(new Range(to, first.to()));
        }
        outstandingBytes += to - first.from();
    }

    /** Sealed bytes are in the sink, but for those of them that were not to go there. */
    public void delivered(long lengthBytes, Withheld withheld) {
        outstandingBytes -= lengthBytes;
        filteredBytes += withheld.filteredBytes();
        lostBytes += withheld.truncatedBytes();
        deliveredBytes += lengthBytes - withheld.filteredBytes() - withheld.truncatedBytes();
    }

    /** Sealed bytes will not be delivered in that batch; they are to be sealed again. */
    public void giveBack(Range range) {
        outstandingBytes -= range.lengthBytes();
        returned.add(range);
    }

    /** Takes the last sealed bytes back, as if they had not been sealed. */
    public void unseal(long from, int guardAtFrom) {
        outstandingBytes -= sealed - from;
        sealed = from;
        guard = guardAtFrom;
    }

    /** Sealed bytes are gone. */
    public void outstandingLost(long lengthBytes) {
        outstandingBytes -= lengthBytes;
        lostBytes += lengthBytes;
    }

    /** Everything up to {@code seen} that is not in a batch is gone. */
    void loseUnsealed(long seen) {
        lostBytes += seen - sealed + returnedBytes();
        returned.clear();
        sealed = seen;
        guard = Guard.NOTHING;
    }

    /** Counts a batch that was sealed before a restart and not delivered. */
    public void reopen(long lengthBytes) {
        outstandingBytes += lengthBytes;
    }

    /** From where the end of a record is to be searched. */
    public long searchFrom() {
        return Math.max(sealed, searchedTo);
    }

    /** No record ends before this offset. */
    public void searched(long to) {
        searchedTo = to;
    }

    /** Bytes up to {@code seen} that were not offered before. */
    public long offer(long seen) {
        long more = Math.max(0, seen - Math.max(sealed, offeredTo));
        offeredTo = seen;
        return more;
    }

    public long elsewhereBytes() {
        return elsewhereBytes;
    }

    /** The end of what was sealed. */
    public long sealed() {
        return sealed;
    }

    /** {@link Guard} of {@link #sealed}. */
    public int guard() {
        return guard;
    }

    public long outstandingBytes() {
        return outstandingBytes;
    }

    public long deliveredBytes() {
        return deliveredBytes;
    }

    public long lostBytes() {
        return lostBytes;
    }

    /** Bytes that the route's filter has left out. */
    public long filteredBytes() {
        return filteredBytes;
    }

    /** Of the current epoch; to be added to. */
    public NavigableSet<Long> recordStarts() {
        return recordStarts;
    }

    public NavigableSet<Range> returned() {
        return returned;
    }

    public long returnedBytes() {
        return returned.stream().mapToLong(Range::lengthBytes).sum();
    }
}
