package tailrace.core.batch;

/**
 * A line of a container's log: {@code TIME STREAM TAGS CONTENT}. What is none counts as whole, with all of it as content.
 *
 * @param isPartial whether the next line of the same stream goes on with it
 * @param stream where its name begins, and
 * @param streamLength how long that is; 0 if the line is none
 * @param content where it begins
 */
public record CriLine(boolean isPartial, int stream, int streamLength, int content) {
    /** Reads {@code [from, to)} of an array, which is a line without its end. */
    public static CriLine of(byte[] bytes, int from, int to) {
        int stream = behindSpace(bytes, from, to);
        int tags = behindSpace(bytes, stream, to);
        boolean isOne = tags < to && tags - stream > 1 && (bytes[tags] == 'P' || bytes[tags] == 'F');
        if (!isOne) {
            return new CriLine(false, from, 0, from);
        }
        return new CriLine(bytes[tags] == 'P', stream, tags - 1 - stream, behindSpace(bytes, tags, to));
    }

    private static int behindSpace(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != ' ') {
            at++;
        }
        return Math.min(to, at + 1);
    }
}
