package tailrace.linux;

/**
 * One event of inotify(7).
 *
 * @param watch the watch descriptor, -1 for {@link #OVERFLOW}
 * @param mask the constants below, or-ed
 * @param cookie the same for the two halves of one rename
 * @param name the entry of the watched directory; empty when the watched file itself is meant
 * @see <a href="https://man7.org/linux/man-pages/man7/inotify.7.html">inotify(7)</a>
 */
public record InotifyEvent(int watch, int mask, int cookie, LinuxPath name) {
    public static final int MODIFY = 0x2;
    public static final int ATTRIB = 0x4;
    public static final int CLOSE_WRITE = 0x8;
    public static final int MOVED_FROM = 0x40;
    public static final int MOVED_TO = 0x80;
    public static final int CREATE = 0x100;
    public static final int DELETE = 0x200;
    public static final int DELETE_SELF = 0x400;
    public static final int MOVE_SELF = 0x800;
    public static final int UNMOUNT = 0x2000;
    public static final int OVERFLOW = 0x4000;
    public static final int IGNORED = 0x8000;
    public static final int IS_DIRECTORY = 0x40000000;

    /** In a call of {@link WatchCalls#addWatch} only: fail with ENOTDIR unless it is a directory. */
    public static final int ONLY_DIRECTORY = 0x1000000;

    public boolean has(int bits) {
        return (mask & bits) != 0;
    }
}
