package tailrace.linux;

import java.time.Instant;

/**
 * What statx(2) tells of a file.
 *
 * @param mode type and permission bits, as st_mode
 * @param inode unique in its filesystem only while the file exists: it is given to the next file at once
 * @param sizeBytes of a regular file
 * @param links names the file has; 0 once it is unlinked everywhere
 * @param device major and minor number of the filesystem's device, as {@code major << 32 | minor}
 * @param birth when it was made; {@link Instant#EPOCH} where the filesystem does not say
 * @see <a href="https://man7.org/linux/man-pages/man2/statx.2.html">statx(2)</a>
 */
public record FileStatus(
        int mode, long inode, long sizeBytes, int links, int owner, long device, Instant modified, Instant birth) {
    private static final int TYPE_MASK = 0170000;

    public boolean isRegular() {
        return (mode & TYPE_MASK) == 0100000;
    }

    public boolean isDirectory() {
        return (mode & TYPE_MASK) == 0040000;
    }

    public boolean isSymbolicLink() {
        return (mode & TYPE_MASK) == 0120000;
    }

    /** What it is, for a message: "a directory", "a FIFO". */
    public String kind() {
        return switch (mode & TYPE_MASK) {
            case 0100000 -> "a regular file";
            case 0040000 -> "a directory";
            case 0120000 -> "a symbolic link";
            case 0010000 -> "a FIFO";
            case 0140000 -> "a socket";
            case 0020000 -> "a character device";
            case 0060000 -> "a block device";
            default -> "no regular file";
        };
    }
}
