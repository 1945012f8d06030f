package tailrace.core.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * The format of a ledger file. A header: magic (8 bytes), version (u16), the ledger's id (4 bytes), CRC32C of these.
 * Then frames: length of the record (u32), CRC32C of it (u32), the record. All numbers big-endian. It begins with a
 * snapshot that a SNAPSHOT_END closes; what follows was appended since, in commits: each begins when the one before is
 * durable, so that after a crash only the last can be torn, and parts of it may be missing in any order.
 */
final class Journal {
    static final int VERSION = 2;
    static final int HEADER_BYTES = 18;
    static final int FRAME_BYTES = 8;

    /** A record of a batch of 1024 extents has 50 KiB; no record comes near this. */
    static final int MAX_RECORD_BYTES = 16 << 20;

    private static final byte[] MAGIC = "TAILRACE".getBytes(US_ASCII);

    private Journal() {}

    static byte[] header(String id) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
        header.put(MAGIC).putShort((short) VERSION).put(HexFormat.of().parseHex(id));
        header.putInt(crc(header.array(), 0, HEADER_BYTES - 4));
        return header.array();
    }

    /** What a header says. */
    record Header(String id, int version) {}

    /** Reads a header, of any version up to this. */
    static Header readHeader(byte[] file, String name) throws LedgerException {
        if (file.length < HEADER_BYTES) {
            throw new LedgerException("the ledger " + name + " is cut off within its header" + Advice.RESTORE);
        }
        ByteBuffer header = ByteBuffer.wrap(file);
        byte[] magic = new byte[MAGIC.length];
        header.get(magic);
        if (!java.util.Arrays.equals(magic, MAGIC)) {
            throw new LedgerException(name + " is no tailrace ledger" + Advice.RESTORE);
        }
        int version = Short.toUnsignedInt(header.getShort());
        if (version > VERSION) {
            throw new LedgerException("the ledger " + name + " has format version " + version
                    + ", and this tailrace knows up to " + VERSION
                    + ". Use the tailrace that wrote it, or a newer one.");
        }
        byte[] id = new byte[4];
        header.get(id);
        if (header.getInt() != crc(file, 0, HEADER_BYTES - 4)) {
            throw new LedgerException("the header of the ledger " + name + " is corrupt" + Advice.RESTORE);
        }
        return new Header(HexFormat.of().formatHex(id), version);
    }

    static int crc(byte[] bytes, int from, int length) {
        var crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    /** Records become frames here; not for two threads at a time. */
    static final class Frames {
        private final ByteArrayOutputStream frames = new ByteArrayOutputStream();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private long count;

        void add(LedgerRecord ledgerRecord) {
            try {
                body.reset();
                LedgerCodec.write(ledgerRecord, new DataOutputStream(body));
                byte[] bytes = body.toByteArray();
                var out = new DataOutputStream(frames);
                out.writeInt(bytes.length);
                out.writeInt(crc(bytes, 0, bytes.length));
                out.write(bytes);
                count++;
            } catch (IOException e) {
                throw new UncheckedIOException("writing into memory does not fail", e);
            }
        }

        boolean isEmpty() {
            return frames.size() == 0;
        }

        long count() {
            return count;
        }

        /** All frames so far, which are forgotten here. */
        byte[] take() {
            byte[] taken = frames.toByteArray();
            frames.reset();
            return taken;
        }
    }

    /** What to do with a ledger that cannot be read. */
    static final class Advice {
        static final String RESTORE =
                ". Nothing was changed. Restore the state directory from a backup; or, if bytes may"
                        + " be delivered a second time, move the state directory away and start anew.";

        private Advice() {}
    }
}
