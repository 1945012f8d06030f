package tailrace.core.track;

import tailrace.linux.FileHandle;

/**
 * Who a file is, whatever its name: never a path, an inode number alone, or a guess from its content.
 *
 * @param filesystem the filesystem's id, in hexadecimal
 * @param handle the kernel's name of the file within it; on {@link Step#INODE_AND_BIRTH} inode and birth time
 */
public record FileIdentity(String filesystem, FileHandle handle) {
    /** The type given to what stands in for a handle; the kernel's own types are not negative. */
    static final int STAND_IN = -1;

    /** How good the identity is. */
    public enum Step {
        /** Handle with generation by AT_HANDLE_FID or as it is: unique for the life of the filesystem. */
        FILE_HANDLE,
        /** Inode and birth time: a deleted file's may come back within one clock tick; the guard must catch that. */
        INODE_AND_BIRTH
    }

    public Step step() {
        return handle.type() == STAND_IN ? Step.INODE_AND_BIRTH : Step.FILE_HANDLE;
    }

    @Override
    public String toString() {
        return filesystem + "/" + handle;
    }
}
