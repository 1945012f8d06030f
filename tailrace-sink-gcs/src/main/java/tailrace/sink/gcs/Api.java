package tailrace.sink.gcs;

import com.google.auth.oauth2.GoogleCredentials;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.RetryAfter;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.deliver.Unreached;

/** Sends requests with credentials, and tells what their failures mean. Redirects and retries are nobody's here. */
final class Api implements AutoCloseable {
    static final int PRECONDITION_FAILED = 412;
    static final int NOT_FOUND = 404;
    private static final int FIRST_REDIRECT = 300;
    private static final int FIRST_SERVER_ERROR = 500;
    private static final int MOST_SAID = 300;
    private static final String SCOPE = "https://www.googleapis.com/auth/devstorage.read_write";

    private final SettingValues values;
    private final String where;
    private final Duration timeout;
    private final ExecutorService threads = Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("gcs-", 0).factory());
    private final HttpClient client;

    /** Made when it is first needed: they may come later. */
    private @Nullable GoogleCredentials credentials;

    Api(SettingValues values, String where) {
        this.values = values;
        this.where = where;
        this.timeout = values.duration("timeout");
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .executor(threads)
                .build();
    }

    /**
     * Sends a request.
     *
     * @param expected statuses that are answers, beyond those of success
     */
    <T> HttpResponse<T> send(HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler, int... expected)
            throws DeliveryException, SourceChangedException {
        HttpRequest ready = authorized(request.timeout(timeout));
        try {
            HttpResponse<T> answer = client.send(ready, handler);
            boolean isExpected = answer.statusCode() < FIRST_REDIRECT
                    || Arrays.stream(expected).anyMatch(status -> status == answer.statusCode());
            if (!isExpected) {
                throw unwilling(
                        answer.statusCode(),
                        said(answer.body()),
                        answer.headers().firstValue("Retry-After"));
            }
            return answer;
        } catch (IOException e) {
            Optional<SourceChangedException> changed = SourceChangedException.behind(e);
            if (changed.isPresent()) {
                throw changed.get();
            }
            throw DeliveryException.transientFailure(
                    Unreached.explain(where + " at " + ready.uri().getAuthority(), e)
                            .orElse(where + ": " + e + ". Does the endpoint speak Google Cloud Storage?"),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DeliveryException.transientFailure(where + ": interrupted", e);
        }
    }

    private HttpRequest authorized(HttpRequest.Builder request) throws DeliveryException {
        URI url = request.build().uri();
        if (!values.isTrue("anonymous")) {
            try {
                for (Map.Entry<String, List<String>> header :
                        credentials().getRequestMetadata(url).entrySet()) {
                    header.getValue().forEach(value -> request.header(header.getKey(), value));
                }
            } catch (IOException e) {
                throw DeliveryException.refusal(
                        where + ": no credentials: " + e.getMessage(),
                        "They are sought in GOOGLE_APPLICATION_CREDENTIALS, in gcloud's files (gcloud auth"
                                + " application-default login), and from the instance; or give the sink a"
                                + " credentials_file.");
            }
        }
        return request.build();
    }

    private synchronized GoogleCredentials credentials() throws IOException {
        GoogleCredentials known = credentials;
        if (known == null) {
            Optional<String> file = values.optionalString("credentials_file");
            known = file.isPresent() ? ofFile(Path.of(file.get())) : GoogleCredentials.getApplicationDefault();
            known = known.createScoped(SCOPE);
            credentials = known;
        }
        return known;
    }

    private static GoogleCredentials ofFile(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return GoogleCredentials.fromStream(in);
        }
    }

    private static String said(@Nullable Object body) {
        String text = body instanceof String string ? string.strip().replaceAll("\\s+", " ") : "";
        return text.substring(0, Math.min(text.length(), MOST_SAID));
    }

    private DeliveryException unwilling(int status, String said, Optional<String> retryAfter) {
        String message = where + " answered " + status + (said.isEmpty() ? "" : ": " + said);
        if (status >= FIRST_SERVER_ERROR || status == 408 || status == 429) {
            var cause = new IllegalStateException(message);
            return retryAfter
                    .map(after -> DeliveryException.transientFailure(message, RetryAfter.parse(after), cause))
                    .orElseGet(() -> DeliveryException.transientFailure(message, cause));
        }
        if (status == 413) {
            return DeliveryException.rejection(message, "Lower the route's batch.bytes.");
        }
        return DeliveryException.refusal(
                message,
                switch (status) {
                    case 400 -> "Look at the route's key, the sink's storage_class and kms_key.";
                    case 401 -> "Correct the credentials: GOOGLE_APPLICATION_CREDENTIALS, or credentials_file.";
                    case 403 ->
                        "Allow storage.objects.create and storage.objects.get on the bucket (and"
                                + " storage.objects.list for audits); look at its retention policy.";
                    case NOT_FOUND -> "Create the bucket, or correct the sink's bucket.";
                    default -> "The server does not want this batch as it is.";
                });
    }

    @Override
    public void close() {
        client.shutdownNow();
        threads.shutdownNow();
    }
}
