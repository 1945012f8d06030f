package tailrace.core.deliver;

/**
 * What a sink needs of those who call it.
 *
 * @param resumable it goes on at a position that the ledger remembers, so only what was delivered must be durable; if
 *     not, it recognises a batch by its key, and the seal must be durable before the first byte is sent
 * @param ordered batches of one partition arrive in their order, one at a time
 * @param lanes if not 0, partitions are this many lanes, and a file always travels in one of them; if 0, the key
 *     decides
 * @param concurrency batches under way at a time
 */
public record SinkTraits(boolean resumable, boolean ordered, int lanes, int concurrency) {}
