package tailrace.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
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
        server = new ServerSocket(port, 16, InetAddress.getLoopbackAddress());
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
        byte[] magic = in.readNBytes(4);
        if (magic.length == 0) {
            return false;
        }
        if (!new String(magic, US_ASCII).equals("TRB1")) {
            throw new IOException("no batch");
        }
        int idLength = in.readUnsignedShort();
        long length = in.readLong();
        if (idLength > MAX_ID_BYTES || length > Integer.MAX_VALUE - 16) {
            throw new IOException("too long");
        }
        String id = new String(in.readNBytes(idLength), US_ASCII);
        if (cutInTheMiddle.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
            in.readNBytes((int) length / 2);
            return false;
        }
        byte[] content = in.readNBytes((int) length);
        boolean summed = in.readBoolean();
        int crc = in.readInt();
        if (content.length < length) {
            throw new EOFException();
        }
        boolean sound = !summed || crc == crc(content);
        if (sound) {
            keep(id, content);
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
