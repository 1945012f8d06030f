package tailrace.core.track;

/**
 * Where every byte is: {@code seen = delivered + pending + lost + filtered}, always.
 *
 * @param filtered what the route's filter has left out
 */
public record Books(long seen, long delivered, long pending, long lost, long filtered) {
    public static final Books EMPTY = new Books(0, 0, 0, 0, 0);

    public boolean balance() {
        return seen == delivered + pending + lost + filtered;
    }

    public Books plus(Books other) {
        return new Books(
                seen + other.seen,
                delivered + other.delivered,
                pending + other.pending,
                lost + other.lost,
                filtered + other.filtered);
    }
}
