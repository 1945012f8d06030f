package tailrace.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Stands between a client and a server on this machine and does what networks and busy servers do. Which fault a
 * connection meets is said by its number, from 0; each carries one HTTP request, so that the next one meets the next
 * fault.
 */
public final class FaultProxy implements AutoCloseable {
    private static final int CHUNK_BYTES = 16 << 10;
    private static final long MILLI_NANOS = 1_000_000;

    /** What happens to a connection. */
    public sealed interface Fault {
        /** Nothing. */
        record None() implements Fault {}

        /** The server is that far away. */
        record Delay(int millis) implements Fault {}

        /** The connection is reset when so many bytes were sent to the server. */
        record Reset(int afterBytes) implements Fault {}

        /** The server does what it is asked to do, and its answer is lost. */
        record LostAnswer() implements Fault {}

        /** As {@link LostAnswer}, of any protocol: of the server's answers only so many bytes arrive. */
        record LostAnswers(int afterBytes) implements Fault {}

        /** An answer of the proxy's own, after all of the request was read; the server hears nothing. */
        record Answer(int status, String headers) implements Fault {}

        /** Few bytes at a time, with pauses, for the first so many. */
        record SlowLoris(int bytes) implements Fault {}
    }

    private final ServerSocket listener;
    private final InetSocketAddress server;
    private final IntFunction<Fault> faults;
    private final AtomicInteger connections = new AtomicInteger();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    /** Listens on a port of its own, on the loopback interface. */
    @SuppressWarnings("ThisEscapedInObjectConstruction")
    public FaultProxy(int serverPort, IntFunction<Fault> faults) throws IOException {
        this.server = new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
        this.faults = faults;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().name("fault-proxy").daemon().start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** How many connections there were. */
    public int connections() {
        return connections.get();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                open.add(client);
                Fault fault = faults.apply(connections.getAndIncrement());
                Thread.ofPlatform().daemon().start(() -> serve(client, fault));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client, Fault fault) {
        try (client) {
            client.setTcpNoDelay(true);
            if (fault instanceof Fault.Answer(int status, String headers)) {
                answer(client, status, headers);
                return;
            }
            try (var upstream = new Socket()) {
                upstream.connect(server);
                upstream.setTcpNoDelay(true);
                open.add(upstream);
                Thread back = Thread.ofPlatform().daemon().start(() -> backward(upstream, client, fault));
                forward(client, upstream, fault);
                back.join();
            }
        } catch (IOException e) {
            // what a broken connection looks like from here
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void forward(Socket client, Socket upstream, Fault fault) throws IOException {
        InputStream in = client.getInputStream();
        OutputStream out = upstream.getOutputStream();
        byte[] chunk = new byte[CHUNK_BYTES];
        long sent = 0;
        if (fault instanceof Fault.Delay(int millis)) {
            LockSupport.parkNanos(millis * MILLI_NANOS);
        }
        for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
            if (fault instanceof Fault.Reset(int afterBytes) && sent + n > afterBytes) {
                out.write(chunk, 0, (int) (afterBytes - sent));
                client.setSoLinger(true, 0); // the peer is told by a reset
                client.close();
                return;
            }
            for (int at = 0; at < n; ) {
                boolean slow = fault instanceof Fault.SlowLoris(int bytes) && sent + at < bytes;
                int step = slow ? Math.min(64, n - at) : n - at;
                out.write(chunk, at, step);
                at += step;
                if (slow) {
                    LockSupport.parkNanos(MILLI_NANOS);
                }
            }
            sent += n;
        }
        upstream.shutdownOutput();
    }

    /** The answer, to which the client is told not to send another request by this connection. */
    private static void backward(Socket upstream, Socket client, Fault fault) {
        try (client;
                upstream) {
            byte[] chunk = new byte[CHUNK_BYTES];
            InputStream in = upstream.getInputStream();
            OutputStream out = client.getOutputStream();
            boolean begun = false;
            long sent = 0;
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                String text = begun ? "" : new String(chunk, 0, n, ISO_8859_1);
                sent += n;
                if (fault instanceof Fault.LostAnswers(int afterBytes) && sent > afterBytes) {
                    return;
                }
                if (begun || text.startsWith("HTTP/1.1 100") || !text.startsWith("HTTP/")) {
                    out.write(chunk, 0, n);
                    continue;
                }
                if (fault instanceof Fault.LostAnswer) {
                    return; // the server has done it
                }
                begun = true;
                String closing = text.replaceAll("(?i)\r\n(connection|keep-alive):[^\r]*", "")
                        .replaceFirst("\r\n", "\r\nConnection: close\r\n");
                out.write(closing.getBytes(ISO_8859_1));
            }
        } catch (IOException e) {
            // what a broken connection looks like from here
        }
    }

    /** Reads one request, by its Content-Length, and answers it. */
    private static void answer(Socket client, int status, String headers) throws IOException {
        InputStream in = client.getInputStream();
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                return;
            }
            head.append((char) b);
        }
        OutputStream out = client.getOutputStream();
        long length = 0;
        for (String line : head.toString().split("\r\n")) {
            String lower = line.toLowerCase(java.util.Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Long.parseLong(
                        lower.substring("content-length:".length()).strip());
            } else if (lower.startsWith("expect:")) {
                out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
            }
        }
        in.skipNBytes(length);
        out.write(("HTTP/1.1 " + status + " Fault\r\n" + headers + "Content-Length: 0\r\nConnection: close\r\n\r\n")
                .getBytes(ISO_8859_1));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : open) {
            socket.close();
        }
    }
}
