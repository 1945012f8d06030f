package tailrace.linux;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * The kernel's own name of a file: contains the inode number and its generation, so it is unique for the life of the
 * filesystem. Immutable; the arrays are copied.
 *
 * @param type how the filesystem reads the bytes
 * @see <a href="https://man7.org/linux/man-pages/man2/open_by_handle_at.2.html">name_to_handle_at(2)</a>
 */
public record FileHandle(int type, byte[] bytes) {
    /** MAX_HANDLE_SZ. */
    public static final int MAX_BYTES = 128;

    public FileHandle {
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException("a file handle has at most 128 bytes, not " + bytes.length);
        }
        bytes = bytes.clone();
    }

    @Override
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle that && type == that.type && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * type + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return type + ":" + HexFormat.of().formatHex(bytes);
    }
}
