package tailrace.core.deliver;

import java.io.IOException;

/**
 * What the cutting finds: a record, or as much of it as one may have.
 *
 * @param part its number in the record, from 0
 * @param isAll whether the record has no more parts behind this
 * @param content without what frames it, as in the file
 * @param fileBytes so many bytes of the file are this; those that frame a record are its first part's
 * @param raw these bytes, where they were asked for
 * @param time as {@link Taken#time}
 * @param stream as {@link Taken#stream}
 */
record Piece(
        Slice slice,
        long offset,
        int part,
        boolean isAll,
        byte[] content,
        long fileBytes,
        byte[] raw,
        String time,
        String stream) {

    /** Gets them one by one. */
    interface Taker {
        void take(Piece piece) throws IOException, DeliveryException, SourceChangedException;
    }

    /** Puts pieces together to greater ones. */
    interface Joining extends Taker {
        /** What is not ended with the slice is ended now. */
        void end() throws IOException, DeliveryException, SourceChangedException;
    }

    /** A piece of no container. */
    static Piece of(Slice slice, long offset, int part, boolean isAll, byte[] content, long fileBytes, byte[] raw) {
        return new Piece(slice, offset, part, isAll, content, fileBytes, raw, "", "");
    }
}
