package tailrace.agent.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import tailrace.agent.status.StatusJson;
import tailrace.core.engine.Engine;

/**
 * {@code GET /status}, {@code GET /livez}, and {@code GET} or {@code POST /drain}, which answers when the agent has
 * stopped: 200 if everything is delivered, 503 if not. So it serves as the {@code preStop} hook of Kubernetes, which can
 * only GET.
 */
public final class AdminServer implements AutoCloseable {
    private static final int ANSWER_SECONDS = 10;
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int NOT_ALLOWED = 405;
    private static final int UNAVAILABLE = 503;
    private static final int LINGER_SECONDS = 2;

    private record Answer(int status, String type, String body) {}

    private interface Handler {
        Answer answer(HttpExchange request) throws Exception;
    }

    private final Engine engine;
    private final Duration drainTimeout;
    private final Function<String, Duration> durations;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().name("admin-", 1).daemon().factory());
    private final CompletableFuture<String> end = new CompletableFuture<>();

    private AdminServer(HttpServer server, Engine engine, Duration drainTimeout, Function<String, Duration> durations) {
        this.server = server;
        this.engine = engine;
        this.drainTimeout = drainTimeout;
        this.durations = durations;
    }

    /**
     * Listens.
     *
     * @param durations reads the {@code timeout} of {@code /drain?timeout=10s}
     * @throws IOException if the address cannot be listened on; the message names it
     */
    public static AdminServer start(
            InetSocketAddress address, Engine engine, Duration drainTimeout, Function<String, Duration> durations)
            throws IOException {
        HttpServer http;
        try {
            http = HttpServer.create(address, 0);
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen on " + address.getHostString() + ":" + address.getPort() + " (admin.listen): "
                            + e.getMessage() + ". Free the port, or choose another",
                    e);
        }
        var admin = new AdminServer(http, engine, drainTimeout, durations);
        http.setExecutor(admin.threads);
        admin.serve("/livez", List.of("GET", "HEAD"), request -> admin.live());
        admin.serve("/status", List.of("GET", "HEAD"), request -> admin.status());
        admin.serve("/drain", List.of("GET", "POST"), admin::drain);
        http.start();
        return admin;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void serve(String path, List<String> methods, Handler handler) {
        server.createContext(path, request -> {
            try (request) {
                Answer answer = methods.contains(request.getRequestMethod())
                        ? answer(request, handler)
                        : new Answer(NOT_ALLOWED, "text/plain", "only " + String.join(" and ", methods) + "\n");
                byte[] body = answer.body.getBytes(UTF_8);
                request.getResponseHeaders().set("Content-Type", answer.type + "; charset=utf-8");
                request.sendResponseHeaders(
                        answer.status, request.getRequestMethod().equals("HEAD") ? -1 : body.length);
                if (!request.getRequestMethod().equals("HEAD")) {
                    request.getResponseBody().write(body);
                }
            }
        });
    }

    private static Answer answer(HttpExchange request, Handler handler) throws IOException {
        try {
            return handler.answer(request);
        } catch (TimeoutException e) {
            return new Answer(UNAVAILABLE, "text/plain", "the engine does not answer\n");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } catch (RuntimeException | IOException e) {
            return new Answer(BAD_REQUEST, "text/plain", e.getMessage() + "\n");
        } catch (Exception e) {
            return new Answer(UNAVAILABLE, "text/plain", e + "\n");
        }
    }

    private Answer live() throws ExecutionException, InterruptedException, TimeoutException {
        engine.status().get(ANSWER_SECONDS, TimeUnit.SECONDS);
        return new Answer(OK, "text/plain", "ok\n");
    }

    private Answer status() throws ExecutionException, InterruptedException, TimeoutException {
        return new Answer(
                OK, "application/json", StatusJson.write(engine.status().get(ANSWER_SECONDS, TimeUnit.SECONDS)) + "\n");
    }

    private Answer drain(HttpExchange request) throws ExecutionException, InterruptedException {
        if (request.getRequestHeaders().containsKey("Origin")
                || request.getRequestHeaders().containsKey("Sec-Fetch-Site")) {
            return new Answer(FORBIDDEN, "text/plain", "not from a browser: any page could do it\n");
        }
        String query = String.valueOf(request.getRequestURI().getQuery());
        engine.drain(
                query.startsWith("timeout=") ? durations.apply(query.substring("timeout=".length())) : drainTimeout);
        String left = end.get();
        return left.isEmpty()
                ? new Answer(OK, "text/plain", "everything is delivered\n")
                : new Answer(UNAVAILABLE, "text/plain", left + "\n");
    }

    /**
     * The engine has ended: whoever waits for that is told.
     *
     * @param left what is pending, for a person; empty if nothing is
     */
    public void ended(String left) {
        end.complete(left);
    }

    @Override
    public void close() {
        end.complete("the agent has failed");
        server.stop(LINGER_SECONDS);
        threads.shutdownNow();
    }
}
