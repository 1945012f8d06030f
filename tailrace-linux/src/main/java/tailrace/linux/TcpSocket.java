package tailrace.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static tailrace.linux.Syscalls.call;
import static tailrace.linux.Syscalls.check;
import static tailrace.linux.Syscalls.is;

import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A blocking TCP connection whose descriptor is ours, so that {@link CopyCalls#sendfile} can write into it: the JDK does
 * not lend the descriptors of its sockets. Sending and receiving give up after the timeout. For one thread at a time.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/tcp.7.html">tcp(7)</a>
 */
public final class TcpSocket implements AutoCloseable {
    private static final long AF_INET = 2;
    private static final long AF_INET6 = 10;
    private static final long SOCK_STREAM_CLOEXEC = 1 | 02000000;
    private static final long SOL_SOCKET = 1;
    private static final long SO_RCVTIMEO = 20;
    private static final long SO_SNDTIMEO = 21;
    private static final long IPPROTO_TCP = 6;
    private static final long TCP_NODELAY = 1;
    private static final long SHUT_WR = 1;

    /** SIOCOUTQ: bytes in the send queue that the peer's kernel has not acknowledged. */
    private static final long SIOCOUTQ = 0x5411;

    private final Fd fd;

    private TcpSocket(Fd fd) {
        this.fd = fd;
    }

    /**
     * Connects.
     *
     * @param address resolved
     * @param timeout for connecting, and from then on for each wait to send or to receive
     * @throws LinuxException ECONNREFUSED, ETIMEDOUT, EINPROGRESS (the timeout), ENETUNREACH, ...
     */
    public static TcpSocket connect(InetSocketAddress address, Duration timeout) throws LinuxException {
        boolean v6 = address.getAddress() instanceof Inet6Address;
        long number = check(
                call(SystemCall.SOCKET, v6 ? AF_INET6 : AF_INET, SOCK_STREAM_CLOEXEC, 0), SystemCall.SOCKET, address);
        var socket = new TcpSocket(new Fd((int) number));
        try {
            socket.setTimeout(SO_SNDTIMEO, timeout);
            socket.setTimeout(SO_RCVTIMEO, timeout);
            socket.setNoDelay();
            MemorySegment name = Scratch.ofThread().struct;
            long length = v6 ? fillInet6(name, address) : fillInet(name, address);
            check(call(SystemCall.CONNECT, number, name.address(), length), SystemCall.CONNECT, address);
            return socket;
        } catch (LinuxException e) {
            socket.close();
            throw e;
        }
    }

    private static long fillInet(MemorySegment name, InetSocketAddress address) {
        name.fill((byte) 0);
        name.set(JAVA_SHORT, 0, (short) AF_INET);
        setPort(name, address);
        MemorySegment.copy(address.getAddress().getAddress(), 0, name, JAVA_BYTE, 4, 4);
        return 16;
    }

    private static long fillInet6(MemorySegment name, InetSocketAddress address) {
        name.fill((byte) 0);
        name.set(JAVA_SHORT, 0, (short) AF_INET6);
        setPort(name, address);
        MemorySegment.copy(address.getAddress().getAddress(), 0, name, JAVA_BYTE, 8, 16);
        name.set(JAVA_INT, 24, ((Inet6Address) address.getAddress()).getScopeId());
        return 28;
    }

    private static void setPort(MemorySegment name, InetSocketAddress address) {
        name.set(JAVA_BYTE, 2, (byte) (address.getPort() >> 8));
        name.set(JAVA_BYTE, 3, (byte) address.getPort());
    }

    private void setTimeout(long option, Duration timeout) throws LinuxException {
        MemorySegment timeval = Scratch.ofThread().struct;
        timeval.set(JAVA_LONG, 0, timeout.toSeconds());
        timeval.set(JAVA_LONG, 8, timeout.toNanosPart() / 1000);
        setOption(SOL_SOCKET, option, timeval, 16);
    }

    private void setNoDelay() throws LinuxException {
        MemorySegment one = Scratch.ofThread().struct;
        one.set(JAVA_INT, 0, 1);
        setOption(IPPROTO_TCP, TCP_NODELAY, one, 4);
    }

    private void setOption(long level, long option, MemorySegment value, long lengthBytes) throws LinuxException {
        check(
                call(
                        Scratch.ofThread(),
                        SystemCall.SETSOCKOPT,
                        fd.number(),
                        level,
                        option,
                        value.address(),
                        lengthBytes,
                        0),
                SystemCall.SETSOCKOPT,
                fd);
    }

    /** The connection's descriptor, lent: this socket closes it. */
    public Fd fd() {
        return fd;
    }

    /**
     * Receives what is there, waiting for the first byte.
     *
     * @return bytes received, 0 when the peer has closed, -1 after the timeout
     */
    public int receive(MemorySegment buffer) throws LinuxException {
        long result = call(SystemCall.READ, fd.number(), buffer.address(), buffer.byteSize());
        return is(result, Errno.EAGAIN) ? -1 : (int) check(result, SystemCall.READ, fd);
    }

    /** Bytes sent that the peer's kernel has not acknowledged yet. */
    public int unacknowledgedBytes() throws LinuxException {
        MemorySegment count = Scratch.ofThread().struct;
        check(call(SystemCall.IOCTL, fd.number(), SIOCOUTQ, count.address()), SystemCall.IOCTL, fd);
        return count.get(JAVA_INT, 0);
    }

    /** Tells the peer that nothing more comes; it can still answer. */
    public void shutdownOutput() throws LinuxException {
        check(call(SystemCall.SHUTDOWN, fd.number(), SHUT_WR), SystemCall.SHUTDOWN, fd);
    }

    @Override
    public void close() {
        call(SystemCall.CLOSE, fd.number());
    }
}
