package tailrace.linux;

/**
 * How to open a file: the flags of open(2), the mode of a new file, and how its path may be resolved. Descriptors are
 * always O_CLOEXEC and never a controlling terminal.
 *
 * @param flags O_* bits in this architecture's values
 * @param mode permission bits of a file that is created, else 0
 * @param resolve RESOLVE_* bits; other than 0 they need openat2(2), Linux 5.6
 * @see <a href="https://man7.org/linux/man-pages/man2/openat2.2.html">openat2(2)</a>
 */
public record OpenHow(long flags, int mode, long resolve) {
    private static final long O_WRONLY = 1;
    private static final long O_RDWR = 2;
    private static final long O_CREAT = 0100;
    private static final long O_EXCL = 0200;
    private static final long O_NOCTTY = 0400;
    private static final long O_APPEND = 02000;
    private static final long O_NONBLOCK = 04000;
    private static final long O_CLOEXEC = 02000000;
    private static final long O_PATH = 010000000;
    private static final boolean X86 = Architecture.CURRENT == Architecture.X86_64;
    private static final long O_DIRECTORY = X86 ? 0200000 : 040000;
    private static final long O_NOFOLLOW = X86 ? 0400000 : 0100000;
    private static final long O_TMPFILE = 020000000 | O_DIRECTORY;
    private static final long RESOLVE_NO_MAGICLINKS = 0x02;
    private static final long RESOLVE_NO_SYMLINKS = 0x04;
    private static final long RESOLVE_BENEATH = 0x08;
    private static final long ALWAYS = O_CLOEXEC | O_NOCTTY;

    /** For reading; O_NONBLOCK so that a FIFO that slipped into the way does not stop the caller. */
    public static OpenHow read() {
        return new OpenHow(ALWAYS | O_NONBLOCK, 0, 0);
    }

    /** A directory, for listing it or for naming entries below it. */
    public static OpenHow directory() {
        return new OpenHow(ALWAYS | O_DIRECTORY, 0, 0);
    }

    /** Only the place in the tree: no permission on the file itself is needed, and nothing can be read. */
    public static OpenHow place() {
        return new OpenHow(ALWAYS | O_PATH, 0, 0);
    }

    /** For reading and writing; made if it is not there. */
    public static OpenHow create(int mode) {
        return new OpenHow(ALWAYS | O_RDWR | O_CREAT, mode, 0);
    }

    /** As {@link #create}, but EEXIST if it is there. */
    public static OpenHow createNew(int mode) {
        return new OpenHow(ALWAYS | O_RDWR | O_CREAT | O_EXCL, mode, 0);
    }

    /** For writes that always go to the end; made if it is not there. */
    public static OpenHow append(int mode) {
        return new OpenHow(ALWAYS | O_WRONLY | O_APPEND | O_CREAT, mode, 0);
    }

    /** A file without a name, in the filesystem of the directory that is opened; {@link NameCalls#link} names it. */
    public static OpenHow temporary(int mode) {
        return new OpenHow(ALWAYS | O_RDWR | O_TMPFILE, mode, 0);
    }

    /** The same, failing with ELOOP if the last name is a symbolic link. */
    public OpenHow noFollow() {
        return new OpenHow(flags | O_NOFOLLOW, mode, resolve);
    }

    /** The same, failing with ELOOP at any symbolic link and with EXDEV at any way out of the starting directory. */
    public OpenHow beneathWithoutLinks() {
        return new OpenHow(flags, mode, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
    }

    /** Whether any of the ways to write is asked for. */
    public boolean isWritable() {
        return (flags & (O_WRONLY | O_RDWR)) != 0;
    }

    public boolean isAppend() {
        return (flags & O_APPEND) != 0;
    }

    public boolean isCreate() {
        return (flags & O_CREAT) != 0;
    }

    /** Whether the file must not be there yet. */
    public boolean isExclusive() {
        return (flags & O_EXCL) != 0;
    }

    /** Whether a file without a name is asked for. */
    public boolean isTemporary() {
        return (flags & O_TMPFILE) == O_TMPFILE;
    }

    /** Whether only a directory will do. */
    public boolean isDirectory() {
        return (flags & O_TMPFILE) == O_DIRECTORY;
    }

    /** Whether nothing can be read by the descriptor. */
    public boolean isPlace() {
        return (flags & O_PATH) != 0;
    }

    /** Whether a symbolic link at the end of the path is followed. */
    public boolean followsLastLink() {
        return (flags & O_NOFOLLOW) == 0 && followsLinks();
    }

    /** Whether symbolic links within the path are followed, and the path may lead out of its start. */
    public boolean followsLinks() {
        return resolve == 0;
    }
}
