package tailrace.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Enters the kernel. A result of zero or more is the call's own, a negative one is {@code -errno}. */
final class Syscalls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemorySegment FUNCTION = LINKER.defaultLookup().findOrThrow("syscall");

    /** Integers and pointers alike travel as longs; a call that takes fewer than six ignores the rest. */
    private static final MethodHandle SYSCALL = LINKER.downcallHandle(
            FUNCTION,
            FunctionDescriptor.of(
                    JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));

    private Syscalls() {}

    static long call(Scratch scratch, SystemCall call, long a, long b, long c, long d, long e, long f) {
        while (true) {
            try {
                long result = (long) SYSCALL.invokeExact(scratch.errno, call.number, a, b, c, d, e, f);
                if (result >= 0) {
                    return result;
                }
            } catch (Throwable impossible) {
                throw new AssertionError("a downcall throws nothing", impossible);
            }
            int errno = scratch.errno.get(JAVA_INT, 0);
            if (errno != Errno.EINTR.number() || call == SystemCall.CLOSE) {
                return -errno;
            }
        }
    }

    static long call(SystemCall call, long a) {
        return call(Scratch.ofThread(), call, a, 0, 0, 0, 0, 0);
    }

    static long call(SystemCall call, long a, long b) {
        return call(Scratch.ofThread(), call, a, b, 0, 0, 0, 0);
    }

    static long call(SystemCall call, long a, long b, long c) {
        return call(Scratch.ofThread(), call, a, b, c, 0, 0, 0);
    }

    static long call(SystemCall call, long a, long b, long c, long d) {
        return call(Scratch.ofThread(), call, a, b, c, d, 0, 0);
    }

    /** The result, or an exception that names the call and its subject. */
    static long check(long result, SystemCall call, Object subject) throws LinuxException {
        if (result < 0) {
            throw failure(result, call, subject);
        }
        return result;
    }

    static LinuxException failure(long result, SystemCall call, Object subject) {
        int number = (int) -result;
        return new LinuxException(call.manualName(), Errno.of(number), number, subject.toString());
    }

    static boolean is(long result, Errno errno) {
        return result == -errno.number();
    }

    /** Linked on first use only: most programs never read into the heap. */
    static final class Critical {
        private static final MethodHandle PREAD = LINKER.downcallHandle(
                FUNCTION,
                FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG),
                Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"),
                Linker.Option.critical(true));

        private Critical() {}

        static long pread(Fd fd, MemorySegment buffer, long position) {
            MemorySegment errno = Scratch.ofThread().errno;
            try {
                long result = (long) PREAD.invokeExact(
                        errno, SystemCall.PREAD64.number, (long) fd.number(), buffer, buffer.byteSize(), position);
                return result >= 0 ? result : -errno.get(JAVA_INT, 0);
            } catch (Throwable impossible) {
                throw new AssertionError("a downcall throws nothing", impossible);
            }
        }
    }
}
