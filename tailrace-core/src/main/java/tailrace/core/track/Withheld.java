package tailrace.core.track;

import java.util.List;

/**
 * What of an extent was not to go to the sink.
 *
 * @param filteredBytes of records that the route's filter leaves out
 * @param truncatedBytes what records had beyond the greatest length: lost
 */
public record Withheld(long filteredBytes, long truncatedBytes) {
    public static final Withheld NOTHING = new Withheld(0, 0);

    /**
     * Of one extent of a batch.
     *
     * @param all extent by extent; empty if that is nothing
     * @param extent its number in the batch, from 0
     */
    public static Withheld of(List<Withheld> all, int extent) {
        return all.isEmpty() ? NOTHING : all.get(extent);
    }

    public boolean isNothing() {
        return filteredBytes == 0 && truncatedBytes == 0;
    }

    public Withheld plus(Withheld other) {
        return new Withheld(filteredBytes + other.filteredBytes, truncatedBytes + other.truncatedBytes);
    }
}
