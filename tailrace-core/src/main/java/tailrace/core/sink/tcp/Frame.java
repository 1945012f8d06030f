package tailrace.core.sink.tcp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.util.OptionalInt;
import tailrace.core.batch.Batch;

/**
 * The bytes around a batch on a TCP connection; all numbers are big-endian. docs/tcp-framing.md tells it to those who
 * write a receiver.
 *
 * <pre>
 * header   "TRB1"  u16 length of id  u64 length of content  id (ASCII)
 * content  the bytes
 * trailer  u8 1 if a checksum follows, else 0;  u32 CRC32C of the content, else 0
 * answer   "TRA1"  u8 status (0 accepted, also if it was known before; 1 refused)  u32 CRC32C of the id
 * </pre>
 */
final class Frame {
    static final int ANSWER_BYTES = 9;
    private static final int HEADER_BYTES = 14;
    private static final int TRAILER_BYTES = 5;
    private static final byte[] MAGIC = "TRB1".getBytes(US_ASCII);
    private static final byte[] ANSWER_MAGIC = "TRA1".getBytes(US_ASCII);

    private Frame() {}

    static byte[] header(Batch batch, long lengthBytes) {
        byte[] id = batch.id().toString().getBytes(US_ASCII);
        return ByteBuffer.allocate(HEADER_BYTES + id.length)
                .put(MAGIC)
                .putShort((short) id.length)
                .putLong(lengthBytes)
                .put(id)
                .array();
    }

    static byte[] trailer(OptionalInt crc) {
        return ByteBuffer.allocate(TRAILER_BYTES)
                .put((byte) (crc.isPresent() ? 1 : 0))
                .putInt(crc.orElse(0))
                .array();
    }

    /** Whether an answer says that the receiver has this batch. */
    static boolean accepts(byte[] answer, Batch batch) {
        ByteBuffer in = ByteBuffer.wrap(answer);
        byte[] magic = new byte[ANSWER_MAGIC.length];
        in.get(magic);
        return java.util.Arrays.equals(magic, ANSWER_MAGIC) && in.get() == 0 && in.getInt() == idCrc(batch);
    }

    private static int idCrc(Batch batch) {
        var crc = new java.util.zip.CRC32C();
        crc.update(batch.id().toString().getBytes(US_ASCII));
        return (int) crc.getValue();
    }
}
