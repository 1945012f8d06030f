package tailrace.agent.instance;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** A file that somebody makes when the instance will go. */
record FileNotice(Path file) implements NoticeSource {
    /** Nothing tells how much time is left: less than any provider gives. */
    private static final Duration WITHIN = Duration.ofSeconds(30);

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public Optional<Notice> look() {
        return Files.exists(file)
                ? Optional.of(new Notice(file + " exists", Instant.now().plus(WITHIN)))
                : Optional.empty();
    }
}
