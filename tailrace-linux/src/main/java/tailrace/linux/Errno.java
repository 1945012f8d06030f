package tailrace.linux;

/**
 * Why a system call failed. The numbers are those of the generic Linux ABI, the same on x86-64 and aarch64.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/errno.3.html">errno(3)</a>
 */
public enum Errno {
    EPERM(1, "operation not permitted"),
    ENOENT(2, "no such file or directory"),
    EINTR(4, "interrupted"),
    EIO(5, "input/output error"),
    ENXIO(6, "no such device or address"),
    EBADF(9, "bad file descriptor"),
    EAGAIN(11, "would block"),
    ENOMEM(12, "out of memory"),
    EACCES(13, "permission denied"),
    EBUSY(16, "device or resource busy"),
    EEXIST(17, "file exists"),
    EXDEV(18, "not on the same filesystem"),
    ENOTDIR(20, "not a directory"),
    EISDIR(21, "is a directory"),
    EINVAL(22, "invalid argument"),
    ENFILE(23, "too many open files on this system"),
    EMFILE(24, "too many open files in this process"),
    ETXTBSY(26, "file is being executed"),
    EFBIG(27, "file too large"),
    ENOSPC(28, "no space left"),
    EROFS(30, "read-only filesystem"),
    EMLINK(31, "too many hard links"),
    EPIPE(32, "the other end is closed"),
    EDEADLK(35, "deadlock avoided"),
    ENAMETOOLONG(36, "name too long"),
    ENOSYS(38, "not implemented by this kernel"),
    ENOTEMPTY(39, "directory not empty"),
    ELOOP(40, "symbolic link refused, or too many of them"),
    EOVERFLOW(75, "value too large"),
    EOPNOTSUPP(95, "not supported here"),
    EADDRINUSE(98, "address in use"),
    ENETUNREACH(101, "network unreachable"),
    ECONNABORTED(103, "connection aborted"),
    ECONNRESET(104, "connection reset by the peer"),
    ETIMEDOUT(110, "timed out"),
    ECONNREFUSED(111, "connection refused"),
    EHOSTUNREACH(113, "host unreachable"),
    EINPROGRESS(115, "in progress"),
    ESTALE(116, "stale file handle"),
    EDQUOT(122, "disk quota exceeded"),
    /** Any number that no caller of this library distinguishes. */
    OTHER(-1, "error");

    private static final Errno[] BY_NUMBER = new Errno[134];

    static {
        for (Errno errno : values()) {
            if (errno.number >= 0) {
                BY_NUMBER[errno.number] = errno;
            }
        }
    }

    private final int number;
    private final String meaning;

    Errno(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    static Errno of(int number) {
        Errno known = number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
        return known == null ? OTHER : known;
    }

    /** A few words for a person. */
    public String meaning() {
        return meaning;
    }

    public int number() {
        return number;
    }
}
