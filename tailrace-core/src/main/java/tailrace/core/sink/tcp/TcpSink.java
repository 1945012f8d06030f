package tailrace.core.sink.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.deliver.Tls;
import tailrace.core.deliver.Unreached;
import tailrace.linux.Errno;
import tailrace.linux.LinuxException;

/**
 * Sends batches to a TCP peer, by sendfile or by TLS. With {@link Frame framing} each batch is acknowledged by the peer,
 * which can drop one that comes twice: at least once, deduplicable. Raw, a batch counts when the peer's kernel has
 * acknowledged its last byte, and a broken connection may repeat part of one.
 */
final class TcpSink implements Sink {
    private static final long ACKNOWLEDGEMENT_POLL_NANOS = 200_000;

    private final SettingValues values;
    private final SinkProvider.Context context;
    private final String host;
    private final int port;
    private final boolean raw;
    private final Duration timeout;
    private final SinkTraits traits;

    /** One per lane; taken out while it is in use, so that a failed one is simply not put back. */
    private final Map<String, Connection> idle = new HashMap<>();

    TcpSink(SettingValues values, SinkProvider.Context context) {
        this.values = values;
        this.context = context;
        this.host = values.string("host");
        this.port = values.integer("port");
        this.raw = values.string("framing").equals("raw");
        this.timeout = values.duration("timeout");
        int connections = values.integer("connections");
        this.traits = new SinkTraits(false, true, connections, connections);
    }

    @Override
    public SinkTraits traits() {
        return traits;
    }

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        if (content.lengthBytes() == 0) {
            return new Receipt(0, OptionalInt.empty()); // all of it is filtered out
        }
        Connection connection = null;
        boolean usable = false;
        try {
            connection = connection(batch.lane());
            OptionalInt crc = raw ? sendRaw(connection, content) : sendFramed(connection, batch, content);
            usable = true;
            return new Receipt(0, crc);
        } catch (IOException e) {
            Optional<SourceChangedException> changed = SourceChangedException.behind(e);
            if (changed.isPresent()) {
                throw changed.get();
            }
            throw DeliveryException.transientFailure(explain(e), e);
        } finally {
            if (connection != null) {
                keep(batch.lane(), connection, usable);
            }
        }
    }

    private String explain(IOException e) {
        String peer = host + ":" + port;
        return (e instanceof LinuxException ? Optional.<String>empty() : Unreached.explain(peer, e))
                .orElse("cannot send to " + peer + ": " + e.getMessage()
                        + ". Is the receiver running, and reachable from here?");
    }

    private Connection connection(String lane) throws IOException, DeliveryException {
        Connection known;
        synchronized (idle) {
            known = idle.remove(lane);
        }
        if (known != null) {
            return known;
        }
        try {
            var peer = new InetSocketAddress(InetAddress.getByName(host), port);
            return values.isTrue("tls")
                    ? TlsConnection.open(
                            Tls.context(values), host, peer, values.isTrue("verify_name"), timeout, context.integrity())
                    : PlainConnection.open(peer, timeout, context.kernel().files());
        } catch (UnknownHostException e) {
            throw DeliveryException.transientFailure(
                    "the host " + host + " is unknown: check its name, and the name service", e);
        }
    }

    private void keep(String lane, Connection connection, boolean usable) {
        if (usable) {
            synchronized (idle) {
                idle.put(lane, connection);
            }
        } else {
            connection.close(); // in the middle of something: the peer must not wait for the rest
        }
    }

    private OptionalInt sendRaw(Connection connection, BatchContent content)
            throws IOException, SourceChangedException {
        OptionalInt crc = connection.send(content);
        long deadline = System.nanoTime() + timeout.toNanos();
        while (connection.unacknowledgedBytes() > 0) {
            if (System.nanoTime() > deadline) {
                throw new LinuxException("sendfile", Errno.ETIMEDOUT, "the peer does not acknowledge");
            }
            LockSupport.parkNanos(ACKNOWLEDGEMENT_POLL_NANOS);
        }
        return crc;
    }

    private OptionalInt sendFramed(Connection connection, Batch batch, BatchContent content)
            throws IOException, SourceChangedException, DeliveryException {
        connection.send(Frame.header(batch, content.lengthBytes()));
        OptionalInt crc = connection.send(content);
        connection.send(Frame.trailer(crc));
        byte[] answer = connection.receive(Frame.ANSWER_BYTES);
        if (!Frame.accepts(answer, batch)) {
            throw DeliveryException.transientFailure(
                    "the receiver at " + host + ":" + port + " does not accept batch " + batch.id()
                            + ": it may not speak this protocol, or has found a wrong checksum",
                    new IllegalStateException(
                            "answer " + java.util.HexFormat.of().formatHex(answer)));
        }
        return crc;
    }

    @Override
    public void close() {
        synchronized (idle) {
            idle.values().forEach(Connection::close);
            idle.clear();
        }
    }
}
