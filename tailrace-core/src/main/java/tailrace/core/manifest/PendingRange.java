package tailrace.core.manifest;

import java.time.Instant;

/**
 * Bytes that were not delivered when an agent was told that its instance will go: a line of a final manifest, in
 * {@code _tailrace/final/*.jsonl}. Those that came to be delivered after that are in a manifest, too.
 *
 * @param at when it was told
 */
public record PendingRange(String host, String source, Instant at, ManifestEntry.Part part) {}
