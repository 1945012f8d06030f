package tailrace.core.deliver;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tailrace.core.batch.RecordRules;
import tailrace.core.track.Withheld;

/** Lets pass what is to go to the sink, and counts what is not. */
final class Sieve implements Piece.Taker {
    private final List<Slice> slices;
    private final Withheld[] withheld;
    private final RecordRules rules;
    private final boolean filters;
    private final int maxBytes;
    private final Records.Taker taker;

    /** Of the slice that is being cut. */
    private int index;

    private boolean isAnyWithheld;

    /** Whether the record of which a part came last goes on, by its stream. */
    private final Map<String, Boolean> kept = new HashMap<>();

    Sieve(List<Slice> slices, RecordRules rules, int maxBytes, Records.Taker taker) {
        this.slices = slices;
        this.withheld = new Withheld[slices.size()];
        Arrays.fill(withheld, Withheld.NOTHING);
        this.rules = rules;
        this.filters = !rules.filter().isNone();
        this.maxBytes = maxBytes;
        this.taker = taker;
    }

    @Override
    public void take(Piece piece) throws IOException, DeliveryException, SourceChangedException {
        byte[] content = rules.encoding().toUtf8(piece.content());
        boolean truncates = rules.tooLong() == RecordRules.TooLong.TRUNCATE;
        if (filters && !isKept(piece, content)) {
            withhold(piece, new Withheld(piece.fileBytes(), 0));
        } else if (piece.part() > 0 && truncates) {
            withhold(piece, new Withheld(0, piece.fileBytes()));
        } else if (!piece.isAll() && rules.tooLong() == RecordRules.TooLong.ERROR) {
            throw DeliveryException.rejection(
                    piece.slice().extent().path() + ": the record at offset " + piece.offset() + " has more than "
                            + maxBytes + " bytes, which is an error here",
                    "Let longer ones be split or truncated (records.too_long), or raise records.max and the sink's"
                            + " max_record.");
        } else {
            taker.take(new Taken(
                    piece.slice(), piece.offset(), piece.isAll(), content, piece.raw(), piece.time(), piece.stream()));
        }
    }

    private boolean isKept(Piece piece, byte[] content) {
        if (piece.part() == 0) {
            kept.put(piece.stream(), rules.filter().keeps(new String(content, UTF_8)));
        }
        return kept.getOrDefault(piece.stream(), true);
    }

    private void withhold(Piece piece, Withheld more) {
        while (!slices.get(index).equals(piece.slice())) {
            index++;
        }
        withheld[index] = withheld[index].plus(more);
        isAnyWithheld = true;
    }

    /** By slice; empty if nothing was. */
    List<Withheld> withheld() {
        return isAnyWithheld ? List.of(withheld) : List.of();
    }
}
