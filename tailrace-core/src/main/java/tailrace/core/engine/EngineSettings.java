package tailrace.core.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tailrace.core.batch.Codec;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.RateLimit;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.track.EphemeralDisks;
import tailrace.core.track.PinSettings;
import tailrace.core.watch.Source;
import tailrace.linux.LinuxPath;

/**
 * What an engine is to do, checked.
 *
 * @param state the agent's own folder
 * @param host this host's name in keys and manifests
 * @param maxOpenFiles descriptors for tracked files
 * @param ephemeral disks that go with the instance
 */
public record EngineSettings(
        LinuxPath state,
        String host,
        List<RouteSettings> routes,
        int maxOpenFiles,
        PinSettings pins,
        EphemeralDisks ephemeral) {
    /** Of the descriptors a process may have, so many are left for the ledger, the sinks and the JVM, */
    private static final int RESERVED_DESCRIPTORS = 256;

    /** and so many for the files of batches under way, each of which is opened again. */
    private static final int RESERVED_FOR_BATCHES = 4096;

    public EngineSettings {
        routes = List.copyOf(routes);
    }

    /** A sink by its name, and how to make it. */
    public record SinkSettings(String name, SinkProvider provider, SettingValues values) {}

    /**
     * From a source to a sink.
     *
     * @param codec what compresses files that are not compressed already
     * @param rules what records are, and what is done with them
     * @param deadLetters folder for what the sink rejects for good; if there is none it stays pending
     * @param flushPartialAfter an unfinished last line that does not grow is sent after this
     */
    public record RouteSettings(
            Source source,
            SinkSettings sink,
            String key,
            Codec codec,
            RecordRules rules,
            long batchBytes,
            Duration batchAge,
            Duration flushPartialAfter,
            Integrity integrity,
            RateLimit limit,
            Optional<LinuxPath> deadLetters) {
        public String name() {
            return source.name() + ">" + sink.name();
        }
    }

    /** How many tracked files may be open where a process may open so many: a batch on its way opens some again. */
    public static int maxOpenFiles(long descriptorLimit) {
        long free = descriptorLimit - RESERVED_DESCRIPTORS;
        return Math.clamp(Math.max(free / 2, free - RESERVED_FOR_BATCHES), 16, 1 << 20);
    }
}
