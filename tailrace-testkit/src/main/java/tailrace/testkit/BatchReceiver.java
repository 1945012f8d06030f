package tailrace.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;

/**
 * A peer of the TCP sink, written from docs/tcp-framing.md alone: takes batches, drops those that come twice, and can be
 * told to misbehave.
 */
public final class BatchReceiver implements AutoCloseable {
    private static final int MAX_ID_BYTES = 200;

    private final ServerSocket server;
    private final LineChecker lines = new LineChecker();
    private final Set<String> known = new HashSet<>();
    private final AtomicInteger cutInTheMiddle = new AtomicInteger();
    private final AtomicInteger silentAfter = new AtomicInteger();
    private long receivedTwice;

    /** Listens on a free port of this machine. */
    public BatchReceiver() throws IOException {
        this(0);
    }

    /** Listens on a port of this machine. */
    public BatchReceiver(int port) throws IOException {
        this(new ServerSocket(port, 16, InetAddress.getLoopbackAddress()));
    }

    /** Listens on a socket, which may be one of TLS. */
    @SuppressWarnings("ThisEscapedInObjectConstruction")
    public BatchReceiver(ServerSocket socket) {
        server = socket;
        Thread.ofPlatform().name("receiver").daemon().start(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    /** Closes the connection in the middle of each of the next so many batches. */
    public BatchReceiver cutInTheMiddle(int batches) {
        cutInTheMiddle.set(batches);
        return this;
    }

    /** Takes each of the next so many batches, and closes the connection instead of answering. */
    public BatchReceiver silentAfter(int batches) {
        silentAfter.set(batches);
        return this;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket peer = server.accept();
                Thread.ofPlatform().daemon().start(() -> serve(peer));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket peer) {
        try (peer) {
            var in = new DataInputStream(new BufferedInputStream(peer.getInputStream(), 1 << 16));
            var out = new DataOutputStream(peer.getOutputStream());
            while (takeBatch(in, out)) {
                // until the peer closes, or we do
            }
        } catch (IOException e) {
            // the peer went away: it will come back
        }
    }

    private boolean takeBatch(DataInputStream in, DataOutputStream out) throws IOException {
        Optional<Head> next = readHead(in);
        if (next.isEmpty()) {
            return false;
        }
        String id = next.get().id;
        int length = next.get().lengthBytes;
        if (cutInTheMiddle.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            in.readNBytes(length / 2);
            return false;
        }
        Optional<byte[]> content = readContent(in, length);
        boolean sound = content.isPresent();
        if (sound) {
            keep(id, content.get());
        }
        if (silentAfter.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            return false;
        }
        out.write("TRA1".getBytes(US_ASCII));
        out.writeByte(sound ? 0 : 1);
        out.writeInt(crc(id.getBytes(US_ASCII)));
        out.flush();
        return true;
    }

    /** How a batch begins. */
    private record Head(String id, int lengthBytes) {}

    /**
     * Reads one batch, as the sink's {@code framing: batch} sends it.
     *
     * @return its bytes, if there is a batch and its checksum agrees
     * @throws IOException if this is no batch, or not all of one
     */
    public static Optional<byte[]> readBatch(InputStream from) throws IOException {
        var in = new DataInputStream(from);
        Optional<Head> head = readHead(in);
        return head.isEmpty() ? Optional.empty() : readContent(in, head.get().lengthBytes);
    }

    private static Optional<Head> readHead(DataInputStream in) throws IOException {
        byte[] magic = in.readNBytes(4);
        if (magic.length == 0) {
            return Optional.empty();
        }
        if (!new String(magic, US_ASCII).equals("TRB1")) {
            throw new IOException("no batch");
        }
        int idLength = in.readUnsignedShort();
        long length = in.readLong();
        if (idLength > MAX_ID_BYTES || length < 0 || length > Integer.MAX_VALUE - 16) {
            throw new IOException("too long");
        }
        return Optional.of(new Head(new String(in.readNBytes(idLength), US_ASCII), (int) length));
    }

    /** Empty if the checksum does not agree. */
    private static Optional<byte[]> readContent(DataInputStream in, int length) throws IOException {
        byte[] content = in.readNBytes(length);
        boolean summed = in.readBoolean();
        int crc = in.readInt();
        if (content.length < length) {
            throw new EOFException();
        }
        return summed && crc != crc(content) ? Optional.empty() : Optional.of(content);
    }

    private synchronized void keep(String id, byte[] content) throws IOException {
        if (known.add(id)) {
            lines.read(new ByteArrayInputStream(content));
        } else {
            receivedTwice++;
        }
    }

    private static int crc(byte[] bytes) {
        var crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** What has arrived, each batch once. */
    public synchronized LineChecker lines() {
        return lines;
    }

    /** How many batches came again and were dropped. */
    public synchronized long receivedTwice() {
        return receivedTwice;
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
