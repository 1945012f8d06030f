package tailrace.core.deliver;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import tailrace.core.batch.RecordRules;
import tailrace.core.track.Withheld;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;

/**
 * Cuts a batch into its records, and does with them what the {@link RecordRules} of its route say. What an extent ends with is
 * a record, too, if it is unfinished: it was longer than a batch, or did not grow for long.
 */
public final class Records {
    private static final int MOST_PREFIX_BYTES = 128;

    private Records() {}

    /** Gets the records, one after the other. */
    public interface Taker {
        /**
         * Takes a record.
         *
         * @throws IOException of where it goes to, as what is thrown else
         */
        void take(Taken taken) throws IOException, DeliveryException, SourceChangedException;
    }

    /**
     * Hands over all records of a batch that are to go to the sink. The last ones come only if the files are still what was
     * sealed.
     *
     * @param maxBytes the sink takes no longer ones
     * @return what was not handed over, extent by extent; empty if that is nothing
     * @throws DeliveryException of the taker; or a record is too long, and that is an error
     * @throws IOException of the taker, or of reading
     */
    public static List<Withheld> each(BatchContent content, RecordRules rules, int maxBytes, Taker taker)
            throws IOException, DeliveryException, SourceChangedException {
        return each(content, rules, maxBytes, false, taker);
    }

    /** As above; with their bytes as they are in the files, too, if asked for. */
    static List<Withheld> each(BatchContent content, RecordRules rules, int maxBytes, boolean keepsRaw, Taker taker)
            throws IOException, DeliveryException, SourceChangedException {
        int most = rules.maxBytes() > 0 ? (int) Math.min(maxBytes, rules.maxBytes()) : maxBytes;
        var sieve = new Sieve(content.slices(), rules, most, taker);
        try (InputStream in = content.stream(0, content.lengthBytes())) {
            boolean hasPrefix = rules.framing() instanceof Framing.Cri; // which does not count
            var cutter = new Cutter(in, most + (hasPrefix ? MOST_PREFIX_BYTES : 0), keepsRaw);
            for (Slice slice : content.slices()) {
                cut(cutter, slice, rules, most, sieve);
            }
            return sieve.withheld();
        } catch (IOException e) {
            Optional<SourceChangedException> changed = SourceChangedException.behind(e);
            if (changed.isPresent()) {
                throw changed.get();
            }
            throw e;
        }
    }

    private static void cut(Cutter cutter, Slice slice, RecordRules rules, int maxBytes, Sieve sieve)
            throws IOException, DeliveryException, SourceChangedException {
        switch (rules.framing()) {
            case Framing.Lines lines -> cutter.lines(slice, rules.encoding(), sieve);
            case Framing.Raw raw -> cutter.portions(slice, sieve);
            case Framing.WholeFile wholeFile -> cutter.portions(slice, sieve);
            case Framing.Length(Framing.Prefix prefix) -> cutter.lengths(slice, prefix, sieve);
            case Framing.Cri cri -> join(cutter, slice, new JoinedCriLines(slice, maxBytes, sieve));
            case Framing.Multiline multiline -> join(cutter, slice, new JoinedLines(slice, multiline, maxBytes, sieve));
        }
    }

    private static void join(Cutter cutter, Slice slice, Piece.Joining joining)
            throws IOException, DeliveryException, SourceChangedException {
        cutter.lines(
                slice, Encoding.UTF_8, joining); // of one byte a character, and so is each other with these framings
        joining.end();
    }
}
