package tailrace.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One thread's native memory for arguments and small results of calls: an arena per call would cost 120 ns, a shared
 * one a hundred microseconds. It lives as long as its thread; each call overwrites what the last one left.
 */
final class Scratch {
    /** PATH_MAX: a longer path is refused by the kernel with ENAMETOOLONG anyway. */
    private static final int PATH_BYTES = 4096;

    private static final int STRUCT_BYTES = 4096;
    private static final int LISTING_BYTES = 64 * 1024;
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment firstPath = arena.allocate(PATH_BYTES);
    private final MemorySegment secondPath = arena.allocate(PATH_BYTES);

    /** Where the linker stores errno. */
    final MemorySegment errno = arena.allocate(16);

    /** For one structure; 8-byte aligned. */
    final MemorySegment struct = arena.allocate(STRUCT_BYTES, 8);

    private MemorySegment listing = MemorySegment.NULL;

    static Scratch ofThread() {
        return OF_THREAD.get();
    }

    /** For what getdents64 and inotify return; made on first use, since few threads list. */
    MemorySegment listing() {
        if (listing.byteSize() == 0) {
            listing = arena.allocate(LISTING_BYTES, 8);
        }
        return listing;
    }

    /** The address of the path as a C string. */
    long path(LinuxPath path) throws LinuxException {
        return cString(firstPath, path);
    }

    /** As {@link #path}, for calls with two paths. */
    long secondPath(LinuxPath path) throws LinuxException {
        return cString(secondPath, path);
    }

    private static long cString(MemorySegment target, LinuxPath path) throws LinuxException {
        byte[] bytes = path.rawBytes();
        if (bytes.length >= PATH_BYTES) {
            throw new LinuxException("path_resolution", Errno.ENAMETOOLONG, path.toString());
        }
        MemorySegment.copy(bytes, 0, target, ValueLayout.JAVA_BYTE, 0, bytes.length);
        target.set(ValueLayout.JAVA_BYTE, bytes.length, (byte) 0);
        return target.address();
    }
}
