package tailrace.agent.instance;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.deliver.Finding;

/** Asks every second whether the instance will go, on a thread of its own, and passes each notice on once. */
public final class NoticeWatch implements AutoCloseable {
    private static final long EVERY_MILLIS = 1_000;

    private final List<NoticeSource> sources;
    private final Metadata client;
    private final EventLog log;
    private final Consumer<Duration> hasten;
    private final Set<String> passedOn = new HashSet<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private NoticeWatch(List<NoticeSource> sources, Metadata client, EventLog log, Consumer<Duration> hasten) {
        this.sources = sources;
        this.client = client;
        this.log = log;
        this.hasten = hasten;
    }

    /**
     * Begins to ask, if there is anybody to be asked.
     *
     * @param hasten gets the time that is left, once for each notice
     */
    public static NoticeWatch start(NoticeSettings settings, EventLog log, Consumer<Duration> hasten) {
        var client = new Metadata();
        var watch = new NoticeWatch(settings.sources(client), client, log, hasten);
        if (!watch.sources.isEmpty()) {
            Thread.ofPlatform().name("notices").daemon().start(watch::run);
        }
        return watch;
    }

    private void run() {
        try {
            do {
                for (NoticeSource source : sources) {
                    look(source);
                }
            } while (!closed.await(EVERY_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(NoticeSource source) throws InterruptedException {
        try {
            Optional<Notice> notice = source.look();
            if (notice.isPresent() && passedOn.add(notice.get().text())) {
                log.report(
                        Event.NOTICE,
                        source.name(),
                        notice.get().text() + " at " + notice.get().at());
                Duration left = Duration.between(Instant.now(), notice.get().at());
                hasten.accept(left.isNegative() ? Duration.ZERO : left);
            }
        } catch (IOException | RuntimeException e) { // whatever an answer was taken for: the next may be better
            log.report(Event.NOTICE_UNAVAILABLE, source.name(), explain(e));
        }
    }

    private static String explain(Exception e) {
        return (e.getMessage() == null ? e.toString() : e.getMessage())
                + ". Is this instance of that provider, and its metadata service reachable?";
    }

    /** Asks everybody once, for a person who wants to know whether that works. */
    public static List<Finding> check(NoticeSettings settings) {
        var findings = new ArrayList<Finding>();
        try (var client = new Metadata()) {
            for (NoticeSource source : settings.sources(client)) {
                findings.add(check(source));
            }
        }
        return findings;
    }

    private static Finding check(NoticeSource source) {
        try {
            return source.look()
                    .map(notice -> Finding.warn(source.name() + ": " + notice.text() + " at " + notice.at()))
                    .orElseGet(() -> Finding.ok(source.name() + " answers: the instance stays"));
        } catch (IOException | RuntimeException e) {
            return Finding.fail(source.name() + ": " + explain(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Finding.fail(source.name() + ": interrupted");
        }
    }

    @Override
    public void close() {
        closed.countDown();
        client.close();
    }
}
