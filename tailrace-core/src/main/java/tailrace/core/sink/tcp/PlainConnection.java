package tailrace.core.sink.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.OptionalInt;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.SourceChangedException;
import tailrace.linux.Errno;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;
import tailrace.linux.TcpSocket;

/** By sendfile: the bytes of a batch go from the page cache to the socket, and are never ours. */
record PlainConnection(TcpSocket socket, FileCalls files) implements Connection {
    static Connection open(InetSocketAddress peer, Duration timeout, FileCalls files) throws LinuxException {
        return new PlainConnection(TcpSocket.connect(peer, timeout), files);
    }

    @Override
    public void send(byte[] bytes) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            files.writeFully(socket.fd(), arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
        }
    }

    @Override
    public OptionalInt send(BatchContent content) throws LinuxException, SourceChangedException {
        return content.transferTo(socket.fd());
    }

    @Override
    public byte[] receive(int length) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(length);
            int received = 0;
            while (received < length) {
                int n = socket.receive(buffer.asSlice(received));
                if (n < 0) {
                    throw new LinuxException("read", Errno.ETIMEDOUT, "the peer does not answer");
                }
                if (n == 0) {
                    throw new LinuxException("read", Errno.ECONNRESET, "the peer has closed before it answered");
                }
                received += n;
            }
            return buffer.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Override
    public int unacknowledgedBytes() throws LinuxException {
        return socket.unacknowledgedBytes();
    }

    @Override
    public void close() {
        socket.close();
    }
}
