package tailrace.core.store;

import java.nio.ByteBuffer;
import java.util.Base64;

/** A CRC32C as S3 and GCS write it: its four bytes, big-endian, in Base64. */
public final class Base64Crc {
    private Base64Crc() {}

    public static String text(int crc32c) {
        return Base64.getEncoder()
                .encodeToString(
                        ByteBuffer.allocate(Integer.BYTES).putInt(crc32c).array());
    }

    /** What {@link #text} wrote. */
    public static int number(String text) {
        return ByteBuffer.wrap(Base64.getDecoder().decode(text)).getInt();
    }
}
