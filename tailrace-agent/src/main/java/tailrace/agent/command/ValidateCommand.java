package tailrace.agent.command;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import tailrace.agent.config.AgentConfig;
import tailrace.agent.config.ConfigException;
import tailrace.agent.config.JsonSchema;
import tailrace.agent.config.ReferencePage;
import tailrace.core.engine.EngineSettings.RouteSettings;

/** {@code tailrace validate}. */
@Command(
        name = "validate",
        mixinStandardHelpOptions = true,
        description = "Checks a configuration and tells everything that is wrong with it, with line numbers.",
        footer = {
            "%nExamples:%n  tailrace validate --config tailrace.yaml%n  tailrace validate --schema >"
                    + " tailrace.schema.json",
            ExitCode.HELP
        })
final class ValidateCommand implements Callable<Integer> {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The configuration.")
    private @Nullable Path config;

    @Option(names = "--schema", description = "Print the configuration's JSON Schema, for editors.")
    private boolean schema;

    @Option(names = "--reference", description = "Print the reference of every key and event, in Markdown.")
    private boolean reference;

    @CommandLine.Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    ValidateCommand() {}

    @Override
    public Integer call() throws ConfigException {
        if (schema) {
            System.out.print(new JsonSchema().text());
            return ExitCode.OK;
        }
        if (reference) {
            System.out.print(new ReferencePage().text());
            return ExitCode.OK;
        }
        Path file = config;
        if (file == null) {
            throw new CommandLine.ParameterException(spec.commandLine(), "Name a configuration: --config FILE");
        }
        AgentConfig read = Host.configReader().read(file);
        for (RouteSettings route : read.engine().routes()) {
            System.out.println("route " + route.name() + ": "
                    + String.join(
                            ", ",
                            route.source().includes().stream()
                                    .map(Object::toString)
                                    .toList()) + " -> "
                    + route.sink().provider().type() + ", key " + route.key());
        }
        read.notes().forEach(note -> System.out.println("note: " + note));
        System.out.println(file + " is valid");
        return ExitCode.OK;
    }
}
