package tailrace.core.deliver;

/** What a receipt proves about the bytes. */
public enum Integrity {
    /** Every byte passes through a CRC32C on its way, at the price of one read through the cache. */
    CRC32C,
    /** The kernel copies, and the length is checked: pure zero-copy. */
    LENGTH
}
