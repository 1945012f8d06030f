package tailrace.core.deliver;

import java.util.List;
import java.util.OptionalInt;
import tailrace.core.track.Withheld;

/**
 * A sink holds a batch.
 *
 * @param position where it begins in what the key names: 0 in an object of its own
 * @param crc32c of the bytes that it holds, where {@link Integrity#CRC32C} was asked for
 * @param withheld what was not to go there, extent by extent; empty if there is nothing such
 */
public record Receipt(long position, OptionalInt crc32c, List<Withheld> withheld) {
    public Receipt {
        withheld = List.copyOf(withheld);
    }

    /** Of a sink that takes bytes as they are lent to it. */
    public Receipt(long position, OptionalInt crc32c) {
        this(position, crc32c, List.of());
    }
}
