package tailrace.core.manifest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.core.track.Withheld;
import tailrace.linux.LinuxPath;

/**
 * What one batch put where: a line in {@code _tailrace/manifests/*.jsonl} beside the data.
 *
 * @param batch its id; a line with the same id and key says the same again
 * @param position where it begins in what the key names; lines before that went further are void from there on
 * @param lengthBytes of what the key holds of it: if it is compressed, not of its extents
 * @param encoding {@code gzip} or {@code zstd}; empty if the bytes are those of the files
 * @param envelope {@code json} if each record is in one; empty if the bytes are those of the files
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
        String envelope,
        Instant sealedAt,
        List<Part> extents) {

    /**
     * Bytes {@code [from, to)} of a file, as it was called when they were sealed.
     *
     * @param withheld what of them is not there, as the route's rules want
     */
    public record Part(LinuxPath file, String identity, int epoch, long from, long to, Withheld withheld) {
        /** All of them. */
        public Part(LinuxPath file, String identity, int epoch, long from, long to) {
            this(file, identity, epoch, from, to, Withheld.NOTHING);
        }
    }

    public ManifestEntry {
        extents = List.copyOf(extents);
    }

    /** What a delivered batch put where, as its seal wants it. */
    public static ManifestEntry of(
            String host, Batch batch, long position, long lengthBytes, OptionalInt crc32c, List<Withheld> withheld) {
        String encoding = batch.codec().isNone() ? "" : batch.codec().format().text();
        String envelope = batch.rules().envelope().isPresent() ? "json" : "";
        return of(host, batch, position, lengthBytes, crc32c, encoding, envelope, withheld);
    }

    /** The same of bytes that are those of the files, whatever was to be done with them. */
    public static ManifestEntry ofPlain(String host, Batch batch, long lengthBytes, OptionalInt crc32c) {
        return of(host, batch, 0, lengthBytes, crc32c, "", "", List.of());
    }

    private static ManifestEntry of(
            String host,
            Batch batch,
            long position,
            long lengthBytes,
            OptionalInt crc32c,
            String encoding,
            String envelope,
            List<Withheld> withheld) {
        return new ManifestEntry(
                batch.id().toString(),
                host,
                batch.route().source().name(),
                batch.key(),
                position,
                lengthBytes,
                crc32c,
                encoding,
                envelope,
                batch.sealedAt(),
                partsOf(batch, withheld));
    }

    /** What a batch consists of. */
    public static List<Part> partsOf(Batch batch) {
        return partsOf(batch, List.of());
    }

    private static List<Part> partsOf(Batch batch, List<Withheld> withheld) {
        var parts = new ArrayList<Part>();
        for (Extent e : batch.extents()) {
            parts.add(new Part(
                    e.path(),
                    e.identity().toString(),
                    e.epoch(),
                    e.from(),
                    e.to(),
                    Withheld.of(withheld, parts.size())));
        }
        return parts;
    }
}
