package tailrace.core.sink.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.linux.Errno;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;
import tailrace.linux.TcpSocket;

/**
 * Sends batches to a TCP peer by sendfile. With {@link Frame framing} each batch is acknowledged by the peer, which can
 * drop one that comes twice: at least once, deduplicable. Raw, a batch counts when the peer's kernel has acknowledged
 * its last byte, and a broken connection may repeat part of one.
 */
final class TcpSink implements Sink {
    private static final long ACKNOWLEDGEMENT_POLL_NANOS = 200_000;

    private final String host;
    private final int port;
    private final boolean raw;
    private final Duration timeout;
    private final FileCalls files;
    private final SinkTraits traits;

    /** One per lane; taken out while it is in use, so that a failed one is simply not put back. */
    private final Map<String, TcpSocket> idle = new HashMap<>();

    TcpSink(String host, int port, boolean raw, int connections, Duration timeout, SinkProvider.Context context) {
        this.host = host;
        this.port = port;
        this.raw = raw;
        this.timeout = timeout;
        this.files = context.kernel().files();
        this.traits = new SinkTraits(false, true, connections, connections);
    }

    @Override
    public SinkTraits traits() {
        return traits;
    }

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        TcpSocket socket = null;
        boolean usable = false;
        try {
            socket = connection(batch.partition());
            OptionalInt crc = raw ? sendRaw(socket, content) : sendFramed(socket, batch, content);
            usable = true;
            return new Receipt(0, crc);
        } catch (LinuxException e) {
            throw DeliveryException.transientFailure(
                    "cannot send to " + host + ":" + port + ": " + e.getMessage()
                            + ". Is the receiver running, and reachable from here?",
                    e);
        } finally {
            if (socket != null) {
                keep(batch.partition(), socket, usable);
            }
        }
    }

    private TcpSocket connection(String lane) throws LinuxException, DeliveryException {
        TcpSocket known;
        synchronized (idle) {
            known = idle.remove(lane);
        }
        if (known != null) {
            return known;
        }
        try {
            return TcpSocket.connect(new InetSocketAddress(InetAddress.getByName(host), port), timeout);
        } catch (UnknownHostException e) {
            throw DeliveryException.transientFailure(
                    "the host " + host + " is unknown: check its name, and the name service", e);
        }
    }

    private void keep(String lane, TcpSocket socket, boolean usable) {
        if (usable) {
            synchronized (idle) {
                idle.put(lane, socket);
            }
        } else {
            socket.close(); // in the middle of something: the peer must not wait for the rest
        }
    }

    private OptionalInt sendRaw(TcpSocket socket, BatchContent content) throws LinuxException, SourceChangedException {
        OptionalInt crc = content.transferTo(socket.fd());
        long deadline = System.nanoTime() + timeout.toNanos();
        while (socket.unacknowledgedBytes() > 0) {
            if (System.nanoTime() > deadline) {
                throw new LinuxException("sendfile", Errno.ETIMEDOUT, "the peer does not acknowledge");
            }
            LockSupport.parkNanos(ACKNOWLEDGEMENT_POLL_NANOS);
        }
        return crc;
    }

    private OptionalInt sendFramed(TcpSocket socket, Batch batch, BatchContent content)
            throws LinuxException, SourceChangedException, DeliveryException {
        try (Arena arena = Arena.ofConfined()) {
            send(socket, arena, Frame.header(batch));
            OptionalInt crc = content.transferTo(socket.fd());
            send(socket, arena, Frame.trailer(crc));
            byte[] answer = receive(socket, arena, Frame.ANSWER_BYTES);
            if (!Frame.accepts(answer, batch)) {
                throw DeliveryException.transientFailure(
                        "the receiver at " + host + ":" + port + " does not accept batch " + batch.id()
                                + ": it may not speak this protocol, or has found a wrong checksum",
                        new IllegalStateException(
                                "answer " + java.util.HexFormat.of().formatHex(answer)));
            }
            return crc;
        }
    }

    private void send(TcpSocket socket, Arena arena, byte[] bytes) throws LinuxException {
        MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
        long sent = 0;
        while (sent < bytes.length) {
            sent += files.write(socket.fd(), source.asSlice(sent));
        }
    }

    private static byte[] receive(TcpSocket socket, Arena arena, int length) throws LinuxException {
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

    @Override
    public void close() {
        synchronized (idle) {
            idle.values().forEach(TcpSocket::close);
            idle.clear();
        }
    }
}
