package tailrace.agent.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tailrace.agent.config.AgentConfig;
import tailrace.agent.config.ConfigException;
import tailrace.agent.console.Screen;
import tailrace.core.Event;

/** {@code tailrace run}. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Runs the agent until SIGTERM or SIGINT, then drains: what is pending is delivered until the"
                + " drain's deadline.",
        footer = {"%nExample:%n  tailrace run --config /etc/tailrace.yaml", ExitCode.HELP})
final class RunCommand implements Callable<Integer> {
    @Option(
            names = {"-c", "--config"},
            required = true,
            paramLabel = "FILE",
            description = "The configuration.")
    private Path config;

    @Option(
            names = {"-v", "--verbose"},
            description = "Show every event.")
    private boolean verbose;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    RunCommand() {}

    @Override
    public Integer call() throws ConfigException, IOException {
        AgentConfig read = Host.configReader().read(config);
        var screen = new Screen(verbose ? Event.Level.DEBUG : Event.Level.INFO);
        read.notes().forEach(note -> screen.print("note: " + note));
        return AgentRun.run(read, screen, true, read.drainTimeout());
    }
}
