package tailrace.linux;

/**
 * What fstatfs(2) tells of a filesystem.
 *
 * @param type its magic number, as in linux/magic.h
 * @param availableBytes free to an ordinary user
 * @param totalBytes its size
 * @param id f_fsid: 0 where the filesystem has none; on XFS it follows the device number
 * @see <a href="https://man7.org/linux/man-pages/man2/statfs.2.html">statfs(2)</a>
 */
public record FilesystemStatus(long type, long availableBytes, long totalBytes, long id) {
    /** The filesystem's common name, or its magic number where it is not known here. */
    public String typeName() {
        return switch ((int) type) {
            case 0xEF53 -> "ext4";
            case 0x58465342 -> "xfs";
            case 0x9123683E -> "btrfs";
            case 0x01021994 -> "tmpfs";
            case 0x794C7630 -> "overlay";
            case 0x6969 -> "nfs";
            case 0xFF534D42, 0xFE534D42, 0x517B -> "smb";
            case 0x65735546 -> "fuse";
            case 0x01021997 -> "9p";
            case 0xCA451A4E -> "bcachefs";
            case 0x2FC12FC1 -> "zfs";
            case 0xF2F52010 -> "f2fs";
            default -> "type 0x" + Long.toHexString(type);
        };
    }

    /** Whether other machines, or a process in user space, may change files without inotify hearing of it. */
    public boolean isRemote() {
        return switch (typeName()) {
            case "nfs", "smb", "fuse", "9p" -> true;
            default -> false;
        };
    }
}
