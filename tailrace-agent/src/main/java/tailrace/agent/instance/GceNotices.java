package tailrace.agent.instance;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Compute Engine: preemption of spot and preemptible instances (30 seconds ahead), and host maintenance that ends the
 * instance.
 *
 * @see <a href="https://cloud.google.com/compute/docs/instances/create-use-preemptible">Preemptible instances</a>
 */
record GceNotices(Metadata metadata, URI server) implements NoticeSource {
    static final URI USUAL = URI.create("http://metadata.google.internal");

    private static final Duration PREEMPTED_WITHIN = Duration.ofSeconds(30);
    private static final Duration MAINTAINED_WITHIN = Duration.ofSeconds(60);

    @Override
    public String name() {
        return "gce (" + server + ")";
    }

    @Override
    public Optional<Notice> look() throws IOException, InterruptedException {
        if (ask("preempted").equals("TRUE")) {
            return Optional.of(new Notice(
                    "Compute Engine preempts this instance", Instant.now().plus(PREEMPTED_WITHIN)));
        }
        if (ask("maintenance-event").equals("TERMINATE_ON_HOST_MAINTENANCE")) {
            return Optional.of(new Notice(
                    "Compute Engine ends this instance for the maintenance of its host",
                    Instant.now().plus(MAINTAINED_WITHIN)));
        }
        return Optional.empty();
    }

    private String ask(String what) throws IOException, InterruptedException {
        return Metadata.text(metadata.get(
                server.resolve("/computeMetadata/v1/instance/" + what), Map.of("Metadata-Flavor", "Google")));
    }
}
