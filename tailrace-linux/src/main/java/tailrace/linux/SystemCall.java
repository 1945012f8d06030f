package tailrace.linux;

/**
 * The system calls used, with their numbers on x86-64 and on aarch64. All go through the one libc function
 * {@code syscall(2)}: linking a function costs per shape, and this is a single shape (ADR 0003).
 *
 * @see <a href="https://man7.org/linux/man-pages/man2/syscalls.2.html">syscalls(2)</a>
 */
enum SystemCall {
    READ(0, 63),
    WRITE(1, 64),
    CLOSE(3, 57),
    LSEEK(8, 62),
    IOCTL(16, 29),
    PREAD64(17, 67),
    PWRITE64(18, 68),
    SENDFILE(40, 71),
    SOCKET(41, 198),
    CONNECT(42, 203),
    SHUTDOWN(48, 210),
    SETSOCKOPT(54, 208),
    FCNTL(72, 25),
    FLOCK(73, 32),
    FSYNC(74, 82),
    FDATASYNC(75, 83),
    FTRUNCATE(77, 46),
    FSTATFS(138, 44),
    GETDENTS64(217, 61),
    EPOLL_CTL(233, 21),
    INOTIFY_ADD_WATCH(254, 27),
    INOTIFY_RM_WATCH(255, 28),
    OPENAT(257, 56),
    MKDIRAT(258, 34),
    UNLINKAT(263, 35),
    LINKAT(265, 37),
    READLINKAT(267, 78),
    SPLICE(275, 76),
    EPOLL_PWAIT(281, 22),
    EVENTFD2(290, 19),
    EPOLL_CREATE1(291, 20),
    INOTIFY_INIT1(294, 26),
    NAME_TO_HANDLE_AT(303, 264),
    OPEN_BY_HANDLE_AT(304, 265),
    SYNCFS(306, 267),
    RENAMEAT2(316, 276),
    COPY_FILE_RANGE(326, 285),
    STATX(332, 291),
    OPENAT2(437, 437);

    final long number;

    SystemCall(int x86Number, int aarch64Number) {
        this.number = Architecture.CURRENT == Architecture.X86_64 ? x86Number : aarch64Number;
    }

    /** The name as in the manual. */
    String manualName() {
        return switch (this) {
            case PREAD64 -> "pread";
            case PWRITE64 -> "pwrite";
            case FSTATFS -> "fstatfs";
            case EVENTFD2 -> "eventfd";
            default -> name().toLowerCase(java.util.Locale.ROOT);
        };
    }
}
