package tailrace.sink.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/** A server that takes each idempotency key once, as a careful one does, and remembers what it was sent. */
final class HttpServerForTests implements AutoCloseable {
    /** A batch as it came. */
    record Taken(byte[] body, Map<String, String> headers) {}

    private final HttpServer server;
    private final Map<String, Taken> taken = new LinkedHashMap<>();
    private int repetitions;

    HttpServerForTests(@Nullable SSLContext tls, boolean wantsCertificate) throws IOException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (tls == null) {
            server = HttpServer.create(address, 0);
        } else {
            HttpsServer https = HttpsServer.create(address, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(tls) {
                @Override
                public void configure(HttpsParameters parameters) {
                    SSLParameters ssl = getSSLContext().getDefaultSSLParameters();
                    ssl.setNeedClientAuth(wantsCertificate);
                    parameters.setSSLParameters(ssl);
                }
            });
            server = https;
        }
        server.createContext("/logs", this::take);
        server.setExecutor(
                Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory()));
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    private void take(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        var headers = new LinkedHashMap<String, String>();
        exchange.getRequestHeaders()
                .forEach((name, values) -> headers.put(name.toLowerCase(java.util.Locale.ROOT), values.getFirst()));
        String key = headers.getOrDefault("idempotency-key", "");
        synchronized (this) {
            if (taken.putIfAbsent(key, new Taken(body, headers)) != null) {
                repetitions++;
            }
        }
        exchange.sendResponseHeaders(204, -1);
        exchange.close();
    }

    synchronized Map<String, Taken> taken() {
        return new LinkedHashMap<>(taken);
    }

    /** How often a key came again. */
    synchronized int repetitions() {
        return repetitions;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
