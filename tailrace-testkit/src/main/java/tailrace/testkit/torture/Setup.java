package tailrace.testkit.torture;

import java.util.List;
import tailrace.core.track.PinSettings;

/**
 * What the world is like that a script is played in.
 *
 * @param sinks one or two of {@code objects}, {@code append}, {@code remote}
 * @param checksums integrity: crc32c, or length
 * @param pins which files get second names
 */
public record Setup(
        List<String> sinks,
        boolean checksums,
        int batchBytes,
        int batchAgeMillis,
        int maxQueuedEvents,
        int maxDescriptors,
        int maxWatches,
        int files,
        PinSettings.Mode pins) {
    static final String VOLUME = "/volume";
    static final String SPOOL = VOLUME + "/spool";
    static final String PINS = SPOOL + "/.pins";

    /** In the filesystem of the spool, but not watched. */
    static final String ELSEWHERE = VOLUME + "/elsewhere";

    static final String STATE = "/disk/state";
    static final String OUT = "/disk/out";

    public Setup {
        sinks = List.copyOf(sinks);
    }

    /** Whether nothing limits the agent, so that it can keep what it has seen. */
    boolean isRoomy() {
        return maxDescriptors > 100 && maxWatches > 100;
    }
}
