package tailrace.agent.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import tailrace.agent.config.ConfigException;
import tailrace.core.ledger.LedgerException;

/** {@code tailrace}. */
@Command(
        name = "tailrace",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "Carries every byte that services write to local disks to storage that outlives the instance.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Try it, with nothing to set up:",
            "  tailrace demo",
            "Mirror logs into another folder, and keep going:",
            "  tailrace ship --include '/var/log/app/**/*.log' --to file:/backup/app --follow",
            "Run the agent:",
            "  tailrace run --config tailrace.yaml"
        },
        subcommands = {
            DemoCommand.class,
            ShipCommand.class,
            RunCommand.class,
            ValidateCommand.class,
            StatusCommand.class,
            DoctorCommand.class,
            LedgerCommand.class,
            AuditCommand.class,
            HelpCommand.class
        })
public final class Main implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets it
    public Main() {}

    /** Reads the version from the module, or says that there is none. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            var descriptor = Main.class.getModule().getDescriptor();
            String version =
                    descriptor == null ? "development" : descriptor.rawVersion().orElse("development");
            return new String[] {"tailrace " + version};
        }
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "Name a command.");
    }

    /** Runs a command and ends the process with its exit status. */
    public static void main(String... arguments) {
        Shutdown.exit(execute(arguments));
    }

    /**
     * Runs a command.
     *
     * @return the exit status
     */
    static int execute(String... arguments) {
        var line = new CommandLine(new Main());
        line.setExecutionExceptionHandler((e, command, result) -> {
            if (e instanceof ConfigException) {
                System.err.println("tailrace: " + e.getMessage());
                return ExitCode.USAGE;
            }
            if (e instanceof LedgerException || e instanceof java.io.IOException) {
                System.err.println("tailrace: " + e.getMessage());
                return ExitCode.FAILED;
            }
            System.err.println("tailrace: this should not have happened; please report it:");
            e.printStackTrace();
            return ExitCode.FAILED;
        });
        return line.execute(arguments);
    }
}
