package tailrace.core.deliver;

import java.util.OptionalInt;

/**
 * A sink holds a batch.
 *
 * @param position where it begins in what the key names: 0 in an object of its own
 * @param crc32c of the batch's bytes, where {@link Integrity#CRC32C} was asked for
 */
public record Receipt(long position, OptionalInt crc32c) {}
