package tailrace.core.track;

/** Where every byte is: {@code seen = delivered + pending + lost}, always. */
public record Books(long seen, long delivered, long pending, long lost) {
    public static final Books EMPTY = new Books(0, 0, 0, 0);

    public boolean balance() {
        return seen == delivered + pending + lost;
    }

    public Books plus(Books other) {
        return new Books(seen + other.seen, delivered + other.delivered, pending + other.pending, lost + other.lost);
    }
}
