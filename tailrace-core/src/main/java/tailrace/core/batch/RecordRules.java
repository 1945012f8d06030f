package tailrace.core.batch;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.linux.LinuxPath;

/**
 * What a record is on a route, and what is done with it on its way. As with a {@link Codec} these are a part of the name of
 * the batch's partition, so that the ledger fixes them with the seal: what is sent again has the same bytes.
 *
 * @param filter which records go to the sink
 * @param maxBytes of a record as it is in the file; 0 if only the sink has a limit
 * @param tooLong what becomes of longer ones
 * @param envelope what is said of each record around it; empty if it goes as it is
 */
public record RecordRules(
        Framing framing, Encoding encoding, Filter filter, long maxBytes, TooLong tooLong, Optional<Origin> envelope) {
    /**
     * A record goes on if the first pattern is found in it, and the second is not. Only so much of a record is looked at as
     * one may have; its parts share its fate.
     */
    public record Filter(Optional<Pattern> include, Optional<Pattern> exclude) {
        public static final Filter NONE = new Filter(Optional.empty(), Optional.empty());

        public boolean isNone() {
            return include.isEmpty() && exclude.isEmpty();
        }

        public boolean keeps(String text) {
            return include.map(pattern -> pattern.matcher(text).find()).orElse(true)
                    && !exclude.map(pattern -> pattern.matcher(text).find()).orElse(false);
        }
    }

    /** What becomes of a record that is longer than one may be. */
    public enum TooLong {
        /** It comes as several, one behind the other. */
        SPLIT,
        /** What it has more is lost, and counted. */
        TRUNCATE,
        /** The batch is rejected. */
        ERROR
    }

    /** What an envelope says of all records of a source. */
    public record Origin(String host, String source, Map<String, String> labels) {
        public Origin {
            labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels)); // in their order
        }
    }

    /** Lines, as they are. */
    public static final RecordRules PLAIN = of(Framing.LINES, Encoding.UTF_8);

    /** No key begins with either; {@link RoutePlan} sees to that. */
    private static final Pattern MARK = Pattern.compile("^(?:\\x01[A-Z]+:[0-9]+\\x01)?\\x02([^\\x02]*)\\x02");

    /** Of the few rules of a configuration, since partitions are asked for with each growth of a file. */
    private static final Map<RecordRules, String> MARKS = new ConcurrentHashMap<>();

    /** The same the other way: a batch is asked for its rules several times. */
    private static final Map<String, RecordRules> PARSED = new ConcurrentHashMap<>();

    /** Nothing but what a record is. */
    public static RecordRules of(Framing framing, Encoding encoding) {
        return new RecordRules(framing, encoding, Filter.NONE, 0, TooLong.SPLIT, Optional.empty());
    }

    /** Whether a sink of bytes gets others than those of the files. */
    public boolean changeBytes() {
        return !filter.isNone() || envelope.isPresent() || (maxBytes > 0 && tooLong != TooLong.SPLIT);
    }

    /** The same of a file whose bytes are not looked into, since its name says that they are compressed. */
    RecordRules forFile(LinuxPath name) {
        RecordRules bare = of(framing, encoding);
        return equals(bare) || !Codec.isCompressed(name) ? this : bare;
    }

    /** The partition of those files that these are for. */
    String mark(String partition) {
        return equals(PLAIN) ? partition : MARKS.computeIfAbsent(this, RecordRules::mark) + partition;
    }

    /** A partition's name without {@link #mark}. */
    static String unmarked(String partition) {
        return MARK.matcher(partition).replaceFirst("");
    }

    private static String mark(RecordRules rules) {
        return "\u0002" + RecordRulesText.of(rules) + "\u0002";
    }

    /** The rules of a partition's batches. */
    static RecordRules ofPartition(String partition) {
        Matcher matcher = MARK.matcher(partition);
        return matcher.find() ? PARSED.computeIfAbsent(matcher.group(1), RecordRulesText::parse) : PLAIN;
    }
}
