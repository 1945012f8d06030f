package tailrace.core.deliver;

/**
 * A record that goes to the sink, or a part of one that is too long.
 *
 * @param slice where it comes from
 * @param offset in that file of the record's first byte; of a part, of the part's
 * @param isAll whether no part of it follows that belongs to the same record
 * @param content without what only frames it: line ends, lengths, the prefix of a container's line. As UTF-8, where the
 *     source says how its text is encoded
 * @param raw its bytes as they are in the file, where they were asked for
 * @param time when it was written, as its container's log says; else empty
 * @param stream stdout or stderr, of containers; else empty
 */
public record Taken(Slice slice, long offset, boolean isAll, byte[] content, byte[] raw, String time, String stream) {}
