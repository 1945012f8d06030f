package tailrace.core.batch;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tailrace.linux.LinuxPath;

/**
 * How the bytes of a batch are compressed on their way to the sink. It is a part of the name of the batch's partition, so
 * that the ledger fixes it with the seal: what is sent again is compressed as it was.
 *
 * @param level the format's own; 0 for {@link Format#NONE}
 */
public record Codec(Format format, int level) {
    /** What is written, and what a name says of it. */
    public enum Format {
        NONE(""),
        /** RFC 1952, several members. */
        GZIP(".gz"),
        /** RFC 8878, several frames. */
        ZSTD(".zst");

        private final String extension;

        Format(String extension) {
            this.extension = extension;
        }

        /** Behind the keys of what is compressed so. */
        public String extension() {
            return extension;
        }

        /** As in the configuration, in HTTP and in manifests. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static final Codec NONE = new Codec(Format.NONE, 0);

    private static final int DEFAULT_GZIP = 6;
    private static final int MOST_GZIP = 12;
    private static final int DEFAULT_ZSTD = 3;
    private static final int MOST_ZSTD = 19;

    /** No key begins with that character, as {@link RoutePlan} sees to, so no partition is taken for one of a codec. */
    private static final Pattern MARK = Pattern.compile("^\\x01([A-Z]+):([0-9]+)\\x01");

    private static final Pattern COMPRESSED = Pattern.compile(
            ".*\\.(gz|tgz|zst|xz|bz2|lz4|lzo|br|zip|7z|Z|snappy|sz|parquet|orc|avro|jpe?g|png|mp[34])([.-][0-9TZ_.:-]*)?");

    /** The level that most want: fast, and not far from the smallest. */
    public static Codec of(Format format) {
        return new Codec(
                format,
                switch (format) {
                    case NONE -> 0;
                    case GZIP -> DEFAULT_GZIP;
                    case ZSTD -> DEFAULT_ZSTD;
                });
    }

    /** @throws IllegalArgumentException if the format has no such level; the message is for a person */
    public static Codec of(Format format, int level) {
        int most = format == Format.GZIP ? MOST_GZIP : MOST_ZSTD;
        if (level < 1 || level > most || format == Format.NONE) {
            throw new IllegalArgumentException(
                    format == Format.NONE
                            ? "compress_level needs compress: gzip or zstd"
                            : "compress_level of " + format.text() + " is from 1 to " + most + ", not " + level);
        }
        return new Codec(format, level);
    }

    public boolean isNone() {
        return format == Format.NONE;
    }

    /** What compresses a file of this name: nothing if the name says that it is compressed already. */
    Codec forFile(LinuxPath name) {
        return isNone() || isCompressed(name) ? NONE : this;
    }

    /** Whether a name says that its file is compressed already. */
    static boolean isCompressed(LinuxPath name) {
        return COMPRESSED.matcher(name.toString()).matches();
    }

    /** The partition of those files that this compresses. */
    String mark(String partition) {
        return isNone() ? partition : "\u0001" + format + ":" + level + "\u0001" + partition;
    }

    /** What compresses the batches of a partition. */
    static Codec ofPartition(String partition) {
        Matcher matcher = MARK.matcher(partition);
        return matcher.find() ? new Codec(Format.valueOf(matcher.group(1)), Integer.parseInt(matcher.group(2))) : NONE;
    }
}
