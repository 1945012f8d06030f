package tailrace.agent.command;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tailrace.agent.config.ConfigException;

/** Which state directory is meant: named, or the configuration's. */
final class StateOption {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The agent's configuration, which names its state directory.")
    private @Nullable Path config;

    @Option(names = "--state", paramLabel = "DIR", description = "The agent's state directory.")
    private @Nullable Path state;

    /** Where the second names of rotated files are. */
    Path pins() throws ConfigException {
        if (state != null || config == null) {
            return state().resolve("pins");
        }
        return Path.of(Host.configReader().read(config).engine().pins().folder().toString());
    }

    Path state() throws ConfigException {
        if (state != null) {
            return state.toAbsolutePath();
        }
        if (config == null) {
            throw new IllegalStateException("one of the two is required");
        }
        return Path.of(Host.configReader().read(config).engine().state().toString());
    }
}
