package tailrace.linux;

/** Moving bytes between descriptors inside the kernel: this program never sees them. */
public interface CopyCalls {
    /**
     * Copies bytes between two files inside the kernel; on XFS and Btrfs no byte is moved at all (reflink).
     *
     * @param lengthBytes at most this many; the result may be less, as for read(2)
     * @return bytes copied, 0 at end of file
     * @throws LinuxException EXDEV or EINVAL where the two filesystems cannot do it: fall back to {@link #sendfile}
     * @see <a href="https://man7.org/linux/man-pages/man2/copy_file_range.2.html">copy_file_range(2)</a>
     */
    long copyFileRange(Fd from, long fromOffset, Fd to, long toOffset, long lengthBytes) throws LinuxException;

    /**
     * Copies from a file to any descriptor, at that descriptor's own position.
     *
     * @return bytes copied, 0 at the end of the file, -1 if {@code to} is non-blocking and full
     * @throws LinuxException EPIPE or ECONNRESET if the peer is gone; EAGAIN never
     * @see <a href="https://man7.org/linux/man-pages/man2/sendfile.2.html">sendfile(2)</a>
     */
    long sendfile(Fd to, Fd from, long fromOffset, long lengthBytes) throws LinuxException;

    /**
     * Moves bytes between a pipe and any descriptor, at their own positions.
     *
     * @return bytes moved, 0 at the end, -1 if it would block
     * @see <a href="https://man7.org/linux/man-pages/man2/splice.2.html">splice(2)</a>
     */
    long splice(Fd from, Fd to, long lengthBytes) throws LinuxException;

    /**
     * Makes {@code to} share all data of {@code from}, copy on write (FICLONE).
     *
     * @return false where the filesystem cannot, or the two differ
     * @see <a href="https://man7.org/linux/man-pages/man2/ioctl_ficlone.2.html">ioctl_ficlone(2)</a>
     */
    boolean reflink(Fd from, Fd to) throws LinuxException;
}
