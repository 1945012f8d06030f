package tailrace.core.track;

/** Bytes {@code [from, to)} of a file. */
public record Range(long from, long to) {
    public Range {
        if (from < 0 || to <= from) {
            throw new IllegalArgumentException("not a range: [" + from + ", " + to + ")");
        }
    }

    public long lengthBytes() {
        return to - from;
    }
}
