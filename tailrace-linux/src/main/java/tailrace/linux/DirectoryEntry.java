package tailrace.linux;

/**
 * One name in a directory.
 *
 * @param type the DT_* value, {@link #UNKNOWN} where the filesystem does not say: then ask {@code status}
 */
public record DirectoryEntry(LinuxPath name, long inode, int type) {
    public static final int UNKNOWN = 0;
    private static final int DT_DIR = 4;
    private static final int DT_REG = 8;
    private static final int DT_LNK = 10;

    public boolean mayBeDirectory() {
        return type == DT_DIR || type == UNKNOWN;
    }

    public boolean mayBeRegular() {
        return type == DT_REG || type == UNKNOWN;
    }

    public boolean isSymbolicLink() {
        return type == DT_LNK;
    }
}
