package tailrace.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static tailrace.linux.Syscalls.call;
import static tailrace.linux.Syscalls.check;
import static tailrace.linux.Syscalls.is;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

final class LinuxWatchCalls implements WatchCalls {
    private static final long CLOEXEC = 02000000;
    private static final long NONBLOCK = 04000;
    private static final long EPOLL_CTL_ADD = 1;
    private static final int EPOLLIN = 1;
    private static final int MAX_READY = 16;
    private static final int INOTIFY_HEADER_BYTES = 16;
    private static final LinuxPath NO_NAME = LinuxPath.of("");

    @Override
    public Fd inotify() throws LinuxException {
        return descriptor(call(SystemCall.INOTIFY_INIT1, NONBLOCK | CLOEXEC), SystemCall.INOTIFY_INIT1);
    }

    @Override
    public OptionalInt addWatch(Fd inotify, LinuxPath path, int mask) throws LinuxException {
        long name = Scratch.ofThread().path(path);
        long result = call(SystemCall.INOTIFY_ADD_WATCH, inotify.number(), name, mask & 0xFFFFFFFFL);
        if (is(result, Errno.ENOENT)) {
            return OptionalInt.empty();
        }
        return OptionalInt.of((int) check(result, SystemCall.INOTIFY_ADD_WATCH, path));
    }

    @Override
    public void removeWatch(Fd inotify, int watch) throws LinuxException {
        long result = call(SystemCall.INOTIFY_RM_WATCH, inotify.number(), watch);
        if (!is(result, Errno.EINVAL)) { // EINVAL: the kernel removed it before us, with what it watched
            check(result, SystemCall.INOTIFY_RM_WATCH, "watch " + watch);
        }
    }

    @Override
    public List<InotifyEvent> readEvents(Fd inotify) throws LinuxException {
        MemorySegment buffer = Scratch.ofThread().listing();
        long length = call(SystemCall.READ, inotify.number(), buffer.address(), buffer.byteSize());
        if (is(length, Errno.EAGAIN)) {
            return List.of();
        }
        check(length, SystemCall.READ, inotify);
        var events = new ArrayList<InotifyEvent>();
        for (long at = 0; at < length; at += INOTIFY_HEADER_BYTES + buffer.get(JAVA_INT, at + 12)) {
            events.add(new InotifyEvent(
                    buffer.get(JAVA_INT, at),
                    buffer.get(JAVA_INT, at + 4),
                    buffer.get(JAVA_INT, at + 8),
                    name(buffer, at + INOTIFY_HEADER_BYTES, buffer.get(JAVA_INT, at + 12))));
        }
        return events;
    }

    /** The name is filled up with NULs to a multiple of the header's size. */
    private static LinuxPath name(MemorySegment buffer, long at, int paddedBytes) {
        int length = 0;
        while (length < paddedBytes && buffer.get(JAVA_BYTE, at + length) != 0) {
            length++;
        }
        return length == 0
                ? NO_NAME
                : LinuxPath.ofBytes(buffer.asSlice(at, length).toArray(JAVA_BYTE));
    }

    @Override
    public Fd epoll() throws LinuxException {
        return descriptor(call(SystemCall.EPOLL_CREATE1, CLOEXEC), SystemCall.EPOLL_CREATE1);
    }

    @Override
    public void register(Fd epoll, Fd fd) throws LinuxException {
        MemorySegment event = Scratch.ofThread().struct;
        event.set(JAVA_INT, 0, EPOLLIN);
        event.set(JAVA_LONG_UNALIGNED, Architecture.CURRENT.epollDataOffset(), fd.number());
        long result = call(SystemCall.EPOLL_CTL, epoll.number(), EPOLL_CTL_ADD, fd.number(), event.address());
        check(result, SystemCall.EPOLL_CTL, fd);
    }

    @Override
    public int await(Fd epoll, int timeoutMillis) throws LinuxException {
        Scratch scratch = Scratch.ofThread();
        long result = call(
                scratch,
                SystemCall.EPOLL_PWAIT,
                epoll.number(),
                scratch.struct.address(),
                MAX_READY,
                timeoutMillis,
                0,
                8);
        return (int) check(result, SystemCall.EPOLL_PWAIT, epoll);
    }

    @Override
    public Fd eventfd() throws LinuxException {
        return descriptor(call(SystemCall.EVENTFD2, 0, NONBLOCK | CLOEXEC), SystemCall.EVENTFD2);
    }

    @Override
    public void signal(Fd eventfd) throws LinuxException {
        MemorySegment one = Scratch.ofThread().struct;
        one.set(JAVA_LONG, 0, 1);
        long result = call(SystemCall.WRITE, eventfd.number(), one.address(), 8);
        if (!is(result, Errno.EAGAIN)) { // EAGAIN: the counter is full, so the other side is awake anyway
            check(result, SystemCall.WRITE, eventfd);
        }
    }

    @Override
    public void clear(Fd eventfd) throws LinuxException {
        long result = call(
                SystemCall.READ, eventfd.number(), Scratch.ofThread().struct.address(), 8);
        if (!is(result, Errno.EAGAIN)) {
            check(result, SystemCall.READ, eventfd);
        }
    }

    private static Fd descriptor(long result, SystemCall call) throws LinuxException {
        return new Fd((int) check(result, call, "new descriptor"));
    }
}
