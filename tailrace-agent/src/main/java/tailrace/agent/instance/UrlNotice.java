package tailrace.agent.instance;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** A URL that answers 200 when the instance will go, and 204 or 404 until then. */
record UrlNotice(Metadata metadata, URI url) implements NoticeSource {
    private static final Duration WITHIN = Duration.ofSeconds(30);

    @Override
    public String name() {
        return url.toString();
    }

    @Override
    public Optional<Notice> look() throws IOException, InterruptedException {
        HttpResponse<String> answer = metadata.get(url, Map.of());
        return switch (answer.statusCode()) {
            case 200 -> Optional.of(new Notice(url + " says so", Instant.now().plus(WITHIN)));
            case 204, 404 -> Optional.empty();
            default -> throw new IOException("it answered " + answer.statusCode() + ", not 200, 204 or 404");
        };
    }
}
