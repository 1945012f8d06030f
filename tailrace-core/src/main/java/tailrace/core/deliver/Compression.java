package tailrace.core.deliver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.airlift.compress.v3.deflate.DeflateNativeCompressor;
import io.airlift.compress.v3.zstd.ZstdNativeCompressor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import tailrace.core.batch.Codec;
import tailrace.linux.AlignedBuffer;

/**
 * Compresses blocks, each to a frame of its own (a member, in gzip), which can be read without those before it. What is
 * written in one go is the concatenation of frames, which all readers of either format take. For one thread.
 */
public final class Compression {
    /** A frame's bytes before compression, at most: enough to compress well, and still in the third-level cache. */
    static final int BLOCK_BYTES = 1 << 20;

    private static final int MAX_FRAME_BYTES = BLOCK_BYTES + (BLOCK_BYTES >> 4) + 1024;
    private static final ValueLayout.OfInt LITTLE_ENDIAN_INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** RFC 1952: deflate, no name, no time, unknown system. */
    private static final byte[] GZIP_HEADER = {0x1F, (byte) 0x8B, 8, 0, 0, 0, 0, 0, 0, (byte) 0xFF};

    private static final int GZIP_TRAILER_BYTES = 8;

    /** Buffers live as long as their courier's thread. */
    private static final ThreadLocal<Compression> OF_THREAD = ThreadLocal.withInitial(Compression::new);

    /** Of the thread, too, and also for what is not compressed. */
    private static final ThreadLocal<AlignedBuffer> BLOCK =
            ThreadLocal.withInitial(() -> new AlignedBuffer(Arena.ofAuto(), BLOCK_BYTES));

    private final MemorySegment frame = Arena.ofAuto().allocate(MAX_FRAME_BYTES, 4096);
    private final CRC32 crc = new CRC32();
    private Codec codec = Codec.NONE;
    private BlockCompressor compressor = (in, out) -> {
        throw new IllegalStateException("no codec is set");
    };

    /** The library's own call. */
    private interface BlockCompressor {
        int compress(MemorySegment in, MemorySegment out);
    }

    /** Only {@link #of} makes them. */
    private Compression() {}

    /** Whether the codec can be had on this machine. */
    public static Finding check(Codec codec) {
        try {
            compressor(codec);
            return Finding.ok("compresses with " + codec.format().text() + ", level " + codec.level());
        } catch (DeliveryException e) {
            return Finding.fail(String.valueOf(e.getMessage()));
        }
    }

    /**
     * The calling thread's, set to a codec.
     *
     * @throws DeliveryException the codec's library cannot be loaded
     */
    static Compression of(Codec codec) throws DeliveryException {
        Compression own = OF_THREAD.get();
        if (!own.codec.equals(codec)) {
            own.compressor = compressor(codec); // first: if it cannot be made, the next call must not find another
            own.codec = codec;
        }
        return own;
    }

    private static BlockCompressor compressor(Codec codec) throws DeliveryException {
        boolean isLoaded = codec.format() == Codec.Format.GZIP
                ? DeflateNativeCompressor.isEnabled()
                : ZstdNativeCompressor.isEnabled();
        if (!isLoaded) {
            throw DeliveryException.refusal(
                    "the library of " + codec.format().text() + " cannot be loaded from "
                            + System.getProperty("java.io.tmpdir"),
                    "Mostly that folder is mounted noexec: start tailrace with"
                            + " TAILRACE_JAVA_OPTIONS=-Djava.io.tmpdir=DIR, and give it one that is not");
        }
        return switch (codec.format()) {
            case NONE -> throw new IllegalArgumentException("nothing is to be compressed");
            case GZIP -> new DeflateNativeCompressor(codec.level())::compress;
            case ZSTD -> new ZstdNativeCompressor(codec.level())::compress;
        };
    }

    /** The calling thread's, to read the blocks into. */
    static AlignedBuffer block() {
        return BLOCK.get();
    }

    /** The frame of a block; valid until the next call. */
    MemorySegment compress(MemorySegment bytes) {
        if (codec.format() == Codec.Format.ZSTD) {
            return frame.asSlice(0, compressor.compress(bytes, frame));
        }
        MemorySegment.copy(GZIP_HEADER, 0, frame, JAVA_BYTE, 0, GZIP_HEADER.length);
        int deflated = compressor.compress(
                bytes, frame.asSlice(GZIP_HEADER.length, MAX_FRAME_BYTES - GZIP_HEADER.length - GZIP_TRAILER_BYTES));
        long trailer = GZIP_HEADER.length + (long) deflated;
        crc.reset();
        crc.update(bytes.asByteBuffer());
        frame.set(LITTLE_ENDIAN_INT, trailer, (int) crc.getValue());
        frame.set(LITTLE_ENDIAN_INT, trailer + Integer.BYTES, (int) bytes.byteSize());
        return frame.asSlice(0, trailer + GZIP_TRAILER_BYTES);
    }
}
