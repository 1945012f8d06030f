package tailrace.agent.instance;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;

/**
 * EC2: spot interruptions (two minutes ahead), rebalance recommendations, and the end that an Auto Scaling group has
 * chosen for the instance. By IMDSv2.
 *
 * @see <a href="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html">Spot
 *     Instance interruption notices</a>
 */
final class AwsNotices implements NoticeSource {
    static final URI USUAL = URI.create("http://169.254.169.254");

    private static final Duration TOKEN_TTL = Duration.ofHours(6);
    private static final int UNAUTHORIZED = 401;
    private static final int NOT_FOUND = 404;

    /** A recommendation has no time: the interruption may follow at once, with its own two minutes. */
    private static final Duration AT_LEAST = Duration.ofMinutes(2);

    private final Metadata metadata;
    private final URI server;
    private String token = "";
    private Instant tokenUntil = Instant.EPOCH;

    AwsNotices(Metadata metadata, URI server) {
        this.metadata = metadata;
        this.server = server;
    }

    @Override
    public String name() {
        return "aws (" + server + ")";
    }

    @Override
    public Optional<Notice> look() throws IOException, InterruptedException {
        Optional<String> action = ask("spot/instance-action");
        if (action.isPresent()) {
            Map<String, String> fields = Fields.of(action.get());
            return Optional.of(new Notice(
                    "EC2 will " + fields.getOrDefault("action", "terminate") + " this spot instance",
                    time(fields.get("time"))));
        }
        Optional<String> state = ask("autoscaling/target-lifecycle-state");
        if (state.isPresent() && state.get().equals("Terminated")) {
            return Optional.of(new Notice(
                    "the Auto Scaling group will terminate this instance",
                    Instant.now().plus(AT_LEAST)));
        }
        return ask("events/recommendations/rebalance")
                .map(recommended -> new Notice(
                        "EC2 recommends to leave this spot instance",
                        Instant.now().plus(AT_LEAST)));
    }

    /** Empty if there is no such thing, which is the usual answer. */
    private Optional<String> ask(String what) throws IOException, InterruptedException {
        URI url = server.resolve("/latest/meta-data/" + what);
        HttpResponse<String> answer = metadata.get(url, Map.of("X-aws-ec2-metadata-token", token()));
        if (answer.statusCode() == UNAUTHORIZED) {
            tokenUntil = Instant.EPOCH;
            answer = metadata.get(url, Map.of("X-aws-ec2-metadata-token", token()));
        }
        return answer.statusCode() == NOT_FOUND ? Optional.empty() : Optional.of(Metadata.text(answer));
    }

    private String token() throws IOException, InterruptedException {
        if (Instant.now().isAfter(tokenUntil)) {
            token = Metadata.text(metadata.put(
                    server.resolve("/latest/api/token"),
                    Map.of("X-aws-ec2-metadata-token-ttl-seconds", Long.toString(TOKEN_TTL.toSeconds()))));
            tokenUntil = Instant.now().plus(TOKEN_TTL.dividedBy(2));
        }
        return token;
    }

    private static Instant time(@org.jspecify.annotations.Nullable String text) throws IOException {
        try {
            return Instant.parse(String.valueOf(text));
        } catch (DateTimeParseException e) {
            throw new IOException("the time of the interruption is not one: " + text, e);
        }
    }
}
