package tailrace.linux;

import java.util.List;
import java.util.OptionalInt;

/** Being told: inotify for files, eventfd for other threads, epoll to wait for either. */
public interface WatchCalls {
    /** A non-blocking inotify instance, owned by the caller. EMFILE: fs.inotify.max_user_instances is reached. */
    Fd inotify() throws LinuxException;

    /**
     * Watches a file or directory; watching the same one again changes its mask and returns the same number.
     *
     * @param mask constants of {@link InotifyEvent}
     * @return the watch descriptor, or empty if the name does not exist
     * @throws LinuxException ENOSPC: fs.inotify.max_user_watches is reached
     */
    OptionalInt addWatch(Fd inotify, LinuxPath path, int mask) throws LinuxException;

    /** Stops a watch; one that is gone already is no error. */
    void removeWatch(Fd inotify, int watch) throws LinuxException;

    /** The events that are there, at most some thousand; empty if none. */
    List<InotifyEvent> readEvents(Fd inotify) throws LinuxException;

    /** An epoll instance, owned by the caller. */
    Fd epoll() throws LinuxException;

    /** From now on {@link #await} reports when {@code fd} is readable, level-triggered. */
    void register(Fd epoll, Fd fd) throws LinuxException;

    /**
     * Waits until a registered descriptor is readable.
     *
     * @param timeoutMillis 0 to look only, -1 for ever
     * @return how many are readable, 0 after the timeout
     */
    int await(Fd epoll, int timeoutMillis) throws LinuxException;

    /** A non-blocking event counter, owned by the caller, readable while it is not zero. */
    Fd eventfd() throws LinuxException;

    /** Adds one, so that a waiting thread wakes. Callable from any thread. */
    void signal(Fd eventfd) throws LinuxException;

    /** Sets the counter back to zero. */
    void clear(Fd eventfd) throws LinuxException;
}
