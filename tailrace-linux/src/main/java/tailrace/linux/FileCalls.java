package tailrace.linux;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalLong;

/** Opening files, reading and writing them, and asking who and how large they are. */
public interface FileCalls {
    /**
     * Opens a file by a path that starts at a directory.
     *
     * @return a descriptor that the caller owns, or empty if the name does not exist (ENOENT)
     * @throws LinuxException ELOOP at a refused symbolic link, EXDEV at a refused way out, EEXIST, EACCES, EMFILE, ...
     * @see <a href="https://man7.org/linux/man-pages/man2/openat2.2.html">openat2(2)</a>
     */
    Optional<Fd> open(Fd directory, LinuxPath path, OpenHow how) throws LinuxException;

    /**
     * Opens the file that a handle names, wherever it is now. Needs CAP_DAC_READ_SEARCH.
     *
     * @param mount any open file of the same filesystem
     * @return empty if the file is gone (ESTALE)
     * @throws LinuxException EPERM without the capability, EOPNOTSUPP for a handle that only identifies
     */
    Optional<Fd> openByHandle(Fd mount, FileHandle handle, OpenHow how) throws LinuxException;

    /**
     * Gives the descriptor back. It is gone whatever the call says: Linux frees it before it can fail.
     *
     * @throws LinuxException EIO, EDQUOT or ENOSPC: a write that was still on its way has failed (NFS)
     */
    void close(Fd fd) throws LinuxException;

    /** A second descriptor of the same open file, by F_DUPFD_CLOEXEC; owned by the caller. */
    Fd duplicate(Fd fd) throws LinuxException;

    /**
     * Reads at a position. Align the buffer with {@link AlignedBuffer#at}: congruence to the file position, modulo the
     * page, is worth a factor of five on some processors.
     *
     * @param buffer native memory; at most its size is read
     * @return bytes read, 0 at the end of the file
     * @see <a href="https://man7.org/linux/man-pages/man2/pread.2.html">pread(2)</a>
     */
    int pread(Fd fd, MemorySegment buffer, long position) throws LinuxException;

    /**
     * Reads until the buffer is full or the file ends.
     *
     * @return bytes read: fewer than the buffer holds only at the end of the file
     */
    default int preadFully(Fd fd, MemorySegment buffer, long position) throws LinuxException {
        int read = 0;
        int n = 1;
        while (read < buffer.byteSize() && n > 0) {
            n = pread(fd, buffer.asSlice(read), position + read);
            read += n;
        }
        return read;
    }

    /**
     * Reads straight into an array, without a native buffer between. The thread cannot be stopped for garbage
     * collection while it reads, so only for bytes that are in the page cache, and at most some 256 KiB a call. Where an
     * array lies cannot be chosen, so the kernel's copy may be slow (see {@link AlignedBuffer}): for small reads.
     *
     * @return bytes read, 0 at the end of the file
     */
    int preadCritical(Fd fd, byte[] buffer, int offset, int lengthBytes, long position) throws LinuxException;

    /**
     * Writes at a position.
     *
     * @param source native memory, written from its start
     * @return bytes written, which may be fewer than asked for
     */
    int pwrite(Fd fd, MemorySegment source, long position) throws LinuxException;

    /** Writes where the descriptor stands: for pipes, sockets, and files opened by {@link OpenHow#append}. */
    int write(Fd fd, MemorySegment source) throws LinuxException;

    /** Writes all of it at a position, however many calls that takes. */
    default void pwriteFully(Fd fd, MemorySegment source, long position) throws LinuxException {
        long written = 0;
        while (written < source.byteSize()) {
            written += pwrite(fd, source.asSlice(written), position + written);
        }
    }

    /** Writes all of it where the descriptor stands, however many calls that takes. */
    default void writeFully(Fd fd, MemorySegment source) throws LinuxException {
        long written = 0;
        while (written < source.byteSize()) {
            written += write(fd, source.asSlice(written));
        }
    }

    /** Sets where the descriptor stands, for {@link #write} and {@link CopyCalls#sendfile}. */
    void seek(Fd fd, long position) throws LinuxException;

    FileStatus status(Fd fd) throws LinuxException;

    /** Of a name, without following a symbolic link at its end; empty if there is none. */
    Optional<FileStatus> status(Fd directory, LinuxPath path) throws LinuxException;

    FilesystemStatus filesystem(Fd fd) throws LinuxException;

    /** The filesystem's UUID by FS_IOC_GETFSUUID (Linux 6.9); empty where it has none or the kernel does not tell. */
    Optional<byte[]> filesystemUuid(Fd fd) throws LinuxException;

    /**
     * The file's handle, taken from the descriptor, so no rename can come between.
     *
     * @param identifyOnly AT_HANDLE_FID (Linux 6.5): also where the handle could not be opened again, as on overlayfs
     * @return empty where filesystem or kernel do not offer it
     */
    Optional<FileHandle> handle(Fd fd, boolean identifyOnly) throws LinuxException;

    /** Makes data, and the metadata needed to read them, durable. */
    void fdatasync(Fd fd) throws LinuxException;

    /** As fdatasync with all metadata; on a directory, makes its entries durable. */
    void fsync(Fd fd) throws LinuxException;

    /** Makes everything in the file's filesystem durable. */
    void syncfs(Fd fd) throws LinuxException;

    void ftruncate(Fd fd, long lengthBytes) throws LinuxException;

    /** Takes the exclusive advisory lock of the open file, without waiting; false if another holds it. */
    boolean tryLock(Fd fd) throws LinuxException;

    /**
     * Whether some process has the file open for writing, found out by taking and dropping a read lease.
     *
     * @return 1 if so, 0 if not; empty where leases are refused (not the owner and no CAP_LEASE; some filesystems)
     * @see <a href="https://man7.org/linux/man-pages/man2/fcntl.2.html">fcntl(2), F_SETLEASE</a>
     */
    OptionalLong writers(Fd fd) throws LinuxException;
}
