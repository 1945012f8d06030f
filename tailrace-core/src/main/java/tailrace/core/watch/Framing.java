package tailrace.core.watch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.regex.Pattern;

/** What a record is in the files of a source: batches end behind one, and sinks of records get them one by one. */
public sealed interface Framing {
    /** A line, which ends with LF or CRLF. */
    record Lines() implements Framing {}

    /** There are none: a batch may end anywhere. */
    record Raw() implements Framing {}

    /**
     * A line of a Kubernetes container, {@code TIME stdout|stderr P|F CONTENT}: those marked P go on in the next of the
     * same stream.
     *
     * @see <a href="https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md">CRI
     *     logging</a>
     */
    record Cri() implements Framing {}

    /**
     * Lines that belong together.
     *
     * @param pattern is sought in each line, of which only the beginning is looked at
     * @param begins whether a line that has it begins a record; if not, it goes on with the one before
     */
    record Multiline(Pattern pattern, boolean begins) implements Framing {
        /** Only so much of a line is looked at. */
        private static final int MOST_BYTES = 1024;

        /** Whether a record begins with this line; of a part of an array. */
        public boolean isBegun(byte[] bytes, int from, int length) {
            String line = new String(bytes, from, Math.min(length, MOST_BYTES), ISO_8859_1);
            return pattern.matcher(line).find() == begins;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Multiline that
                    && begins == that.begins
                    && pattern.pattern().equals(that.pattern.pattern());
        }

        @Override
        public int hashCode() {
            return pattern.pattern().hashCode();
        }
    }

    Framing LINES = new Lines();
}
