package tailrace.core.sink.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.OptionalInt;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.SourceChangedException;

/** By TLS, which needs the bytes: they are read from the page cache into the array that is encrypted. */
final class TlsConnection implements Connection {
    /** Some records of TLS at a time. */
    private static final int BUFFER_BYTES = 128 << 10;

    private final SSLSocket socket;
    private final Integrity integrity;

    private TlsConnection(SSLSocket socket, Integrity integrity) {
        this.socket = socket;
        this.integrity = integrity;
    }

    /**
     * Connects, and makes sure who the peer is.
     *
     * @param host the name that the peer's certificate must have
     * @param verifiesName whether it must
     */
    static Connection open(
            SSLContext context,
            String host,
            InetSocketAddress peer,
            boolean verifiesName,
            Duration timeout,
            Integrity integrity)
            throws IOException {
        var plain = new Socket();
        try {
            plain.connect(peer, Math.toIntExact(timeout.toMillis()));
            plain.setSoTimeout(Math.toIntExact(timeout.toMillis()));
            plain.setTcpNoDelay(true);
            var socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, peer.getPort(), true);
            if (verifiesName) {
                SSLParameters parameters = socket.getSSLParameters();
                parameters.setEndpointIdentificationAlgorithm("HTTPS"); // RFC 6125, as browsers do
                socket.setSSLParameters(parameters);
            }
            socket.startHandshake();
            return new TlsConnection(socket, integrity);
        } catch (IOException e) {
            plain.close();
            throw e;
        }
    }

    @Override
    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    @Override
    public OptionalInt send(BatchContent content) throws IOException, SourceChangedException {
        OptionalInt crc = integrity == Integrity.CRC32C ? OptionalInt.of(content.sum()) : OptionalInt.empty();
        byte[] buffer = new byte[BUFFER_BYTES];
        try (InputStream in = content.stream(0, content.lengthBytes())) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                socket.getOutputStream().write(buffer, 0, n);
            }
        }
        return crc;
    }

    @Override
    public byte[] receive(int length) throws IOException {
        byte[] received = socket.getInputStream().readNBytes(length);
        if (received.length < length) {
            throw new EOFException("the peer has closed before it answered");
        }
        return received;
    }

    @Override
    public int unacknowledgedBytes() {
        throw new IllegalStateException("TLS hides what the kernel knows: framing: raw is refused with it");
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // it is broken, and that is why it is closed
        }
    }
}
