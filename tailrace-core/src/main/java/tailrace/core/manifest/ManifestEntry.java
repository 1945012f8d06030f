package tailrace.core.manifest;

import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import tailrace.core.batch.Batch;
import tailrace.linux.LinuxPath;

/**
 * What one batch put where: a line in {@code _tailrace/manifests/*.jsonl} beside the data.
 *
 * @param batch its id; a line with the same id and key says the same again
 * @param position where it begins in what the key names; lines before that went further are void from there on
 * @param lengthBytes of what the key holds of it: if it is compressed, not of its extents
 * @param encoding {@code gzip} or {@code zstd}; empty if the bytes are those of the files
 * @param extents what it consists of, in order; nothing if the line only voids others
 */
public record ManifestEntry(
        String batch,
        String host,
        String source,
        LinuxPath key,
        long position,
        long lengthBytes,
        OptionalInt crc32c,
        String encoding,
        Instant sealedAt,
        List<Part> extents) {

    /** Bytes {@code [from, to)} of a file, as it was called when they were sealed. */
    public record Part(LinuxPath file, String identity, int epoch, long from, long to) {}

    public ManifestEntry {
        extents = List.copyOf(extents);
    }

    /** What a batch consists of. */
    public static List<Part> partsOf(Batch batch) {
        return batch.extents().stream()
                .map(e -> new Part(e.path(), e.identity().toString(), e.epoch(), e.from(), e.to()))
                .toList();
    }

    /** The same of bytes that are those of the files, however the batch was to be compressed. */
    public ManifestEntry uncompressed() {
        return new ManifestEntry(batch, host, source, key, position, lengthBytes, crc32c, "", sealedAt, extents);
    }

    /** What a delivered batch put where. */
    public static ManifestEntry of(String host, Batch batch, long position, long lengthBytes, OptionalInt crc32c) {
        return new ManifestEntry(
                batch.id().toString(),
                host,
                batch.route().source().name(),
                batch.key(),
                position,
                lengthBytes,
                crc32c,
                batch.codec().isNone() ? "" : batch.codec().format().text(),
                batch.sealedAt(),
                partsOf(batch));
    }
}
