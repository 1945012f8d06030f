package tailrace.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Answers what an S3 client asks while it uploads, and throws the bytes away: what is measured is the client. */
final class NullS3 implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 20;

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong committed = new AtomicLong();
    private final Map<String, AtomicLong> uploads = new ConcurrentHashMap<>();
    private final Map<String, byte[]> notes = new ConcurrentHashMap<>();
    private final double bytesPerNano;
    private long linkFreeNanos;
    private volatile long firstNanos;
    private volatile long lastNanos;

    NullS3() throws IOException {
        this(Long.MAX_VALUE);
    }

    /** @param bytesPerSecond what all connections together can carry */
    @SuppressWarnings("ThisEscapedInObjectConstruction")
    NullS3(long bytesPerSecond) throws IOException {
        bytesPerNano = bytesPerSecond / 1e9;
        Thread.ofPlatform().daemon().start(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    /** Forgets what was measured. */
    void reset() {
        received.set(0);
        firstNanos = 0;
        lastNanos = 0;
    }

    long receivedBytes() {
        return received.get();
    }

    /** Of objects that were taken whole, those of manifests not counted. */
    long committedBytes() {
        return committed.get();
    }

    /** The manifests, by their keys: what else is thrown away. */
    Map<String, byte[]> manifests() {
        return notes;
    }

    /** When the first byte of a body came; 0 before that. */
    long firstNanos() {
        return firstNanos;
    }

    /** From the first byte of a body to the last. */
    double seconds() {
        return (lastNanos - firstNanos) / 1e9;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Thread.ofPlatform().daemon().start(() -> serve(client));
            } catch (IOException e) {
                return; // closed
            }
        }
    }

    private void serve(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            InputStream in = new java.io.BufferedInputStream(client.getInputStream(), 64 << 10);
            OutputStream out = client.getOutputStream();
            byte[] buffer = new byte[BUFFER_BYTES];
            for (String head = head(in); !head.isEmpty(); head = head(in)) {
                long length = 0;
                long content = -1;
                for (String line : head.split("\r\n")) {
                    String lower = line.toLowerCase(Locale.ROOT);
                    if (lower.startsWith("content-length:")) {
                        length = Long.parseLong(
                                lower.substring("content-length:".length()).strip());
                    } else if (lower.startsWith("x-amz-decoded-content-length:")) {
                        content = Long.parseLong(lower.substring("x-amz-decoded-content-length:".length())
                                .strip());
                    } else if (lower.startsWith("expect:")) {
                        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
                    }
                }
                String target = head.substring(0, head.indexOf("\r\n"));
                if (target.contains("/_tailrace/")) {
                    notes.put(target.split(" ")[1], in.readNBytes((int) length));
                } else {
                    drain(in, buffer, length);
                    take(target, content < 0 ? length : content);
                }
                out.write(answer(target));
            }
        } catch (IOException e) {
            // the client has gone
        }
    }

    /** Parts become an object when they are completed. */
    private void take(String target, long length) {
        String[] words = target.split("[ ?]");
        boolean isPart = target.contains("partNumber=");
        if (words[0].equals("PUT") && !isPart) {
            committed.addAndGet(length);
        } else if (words[0].equals("PUT")) {
            uploads.computeIfAbsent(words[1], key -> new AtomicLong()).addAndGet(length);
        } else if (words[0].equals("POST") && target.contains("uploadId=")) {
            AtomicLong parts = uploads.remove(words[1]);
            committed.addAndGet(parts == null ? 0 : parts.get());
        }
    }

    /** Waits until the link has carried so many bytes more. */
    private void carry(long bytes) {
        long free;
        synchronized (this) {
            linkFreeNanos = Math.max(linkFreeNanos, System.nanoTime()) + (long) (bytes / bytesPerNano);
            free = linkFreeNanos;
        }
        LockSupport.parkNanos(free - System.nanoTime());
    }

    private void drain(InputStream in, byte[] buffer, long length) throws IOException {
        long left = length;
        while (left > 0) {
            int n = in.read(buffer, 0, (int) Math.min(left, buffer.length));
            if (n < 0) {
                throw new IOException("cut off");
            }
            carry(n);
            long now = System.nanoTime();
            firstNanos = firstNanos == 0 ? now : firstNanos;
            lastNanos = now;
            received.addAndGet(n);
            left -= n;
        }
    }

    private static byte[] answer(String target) {
        String body = "";
        if (target.contains("uploads") && target.startsWith("POST")) {
            body = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
        } else if (target.startsWith("POST")) {
            body = "<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>";
        } else if (target.startsWith("GET") && target.contains("uploads")) {
            body = "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>";
        } else if (target.startsWith("GET")) {
            body = "<ListPartsResult><IsTruncated>false</IsTruncated></ListPartsResult>";
        }
        return ("HTTP/1.1 200 OK\r\nETag: \"e\"\r\nContent-Type: application/xml\r\nContent-Length: " + body.length()
                        + "\r\n\r\n" + body)
                .getBytes(ISO_8859_1);
    }

    private static String head(InputStream in) throws IOException {
        var head = new StringBuilder();
        while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
            int b = in.read();
            if (b < 0) {
                return "";
            }
            head.append((char) b);
        }
        return head.toString();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
