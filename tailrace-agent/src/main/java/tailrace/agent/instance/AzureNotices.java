package tailrace.agent.instance;

import java.io.IOException;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Azure: scheduled events that end this machine or take its temporary disk.
 *
 * @see <a href="https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events">Scheduled Events</a>
 */
final class AzureNotices implements NoticeSource {
    static final URI USUAL = URI.create("http://169.254.169.254");

    private static final Map<String, String> HEADERS = Map.of("Metadata", "true");

    private final Metadata metadata;
    private final URI server;
    private String machine = "";

    AzureNotices(Metadata metadata, URI server) {
        this.metadata = metadata;
        this.server = server;
    }

    @Override
    public String name() {
        return "azure (" + server + ")";
    }

    @Override
    public Optional<Notice> look() throws IOException, InterruptedException {
        if (machine.isEmpty()) {
            machine = ask("instance/compute/name?api-version=2021-02-01&format=text");
        }
        for (ScheduledEvent event : ScheduledEvent.all(ask("scheduledevents?api-version=2020-07-01"))) {
            if (event.resources().contains(machine)
                    && List.of("Preempt", "Terminate", "Redeploy").contains(event.type())) {
                return Optional.of(new Notice(
                        "Azure: " + event.type() + " of this machine (event " + event.id() + ")", notBefore(event)));
            }
        }
        return Optional.empty();
    }

    private String ask(String what) throws IOException, InterruptedException {
        return Metadata.text(metadata.get(server.resolve("/metadata/" + what), HEADERS));
    }

    /** Empty when it has begun. */
    private static Instant notBefore(ScheduledEvent event) throws IOException {
        if (event.notBefore().isEmpty()) {
            return Instant.now();
        }
        try {
            return ZonedDateTime.parse(event.notBefore(), DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
        } catch (DateTimeException e) {
            throw new IOException("the time of event " + event.id() + " is not one: " + event.notBefore(), e);
        }
    }
}
