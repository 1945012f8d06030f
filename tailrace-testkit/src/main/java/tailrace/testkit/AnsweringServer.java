package tailrace.testkit;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;

/** Gives the same answer to whatever it is asked. */
public final class AnsweringServer implements AutoCloseable {
    private interface Manner {
        void answer(Socket client) throws IOException;
    }

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    private AnsweringServer(Manner manner) throws IOException {
        Thread.ofPlatform().daemon().start(() -> {
            while (!listener.isClosed()) {
                try (Socket client = listener.accept()) {
                    manner.answer(client);
                } catch (IOException e) {
                    // the client has gone, or this is closed
                }
            }
        });
    }

    /**
     * An HTTP server.
     *
     * @param headers each with its line's end
     */
    public static AnsweringServer http(int status, String body, String... headers) throws IOException {
        byte[] bytes = body.getBytes(UTF_8);
        return new AnsweringServer(client -> {
            read(client.getInputStream(), client.getOutputStream());
            String head = "HTTP/1.1 " + status + " Answer\r\n" + String.join("", headers) + "Content-Length: "
                    + bytes.length + "\r\nConnection: close\r\n\r\n";
            client.getOutputStream().write(head.getBytes(ISO_8859_1));
            client.getOutputStream().write(bytes);
        });
    }

    /** A server of another protocol, which speaks first. */
    public static AnsweringServer saying(String greeting) throws IOException {
        return new AnsweringServer(client -> {
            client.getOutputStream().write(greeting.getBytes(ISO_8859_1));
            client.getInputStream().read(new byte[1 << 16]);
        });
    }

    /** One request, with a body of known length or in chunks. */
    private static void read(InputStream in, OutputStream out) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = in.read();
            if (b < 0) {
                return;
            }
            head.append((char) b);
        }
        long length = 0;
        for (String line : head.toString().toLowerCase(Locale.ROOT).split("\r\n")) {
            if (line.startsWith("content-length:")) {
                length = Long.parseLong(
                        line.substring("content-length:".length()).strip());
            } else if (line.startsWith("expect:")) {
                out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
            }
        }
        in.skipNBytes(length);
    }

    public String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
