package tailrace.agent.command;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import tailrace.agent.config.ConfigException;
import tailrace.core.ledger.Adoption;
import tailrace.core.ledger.LedgerFile;
import tailrace.core.ledger.LedgerRecord;
import tailrace.core.ledger.StateDirectory;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

/** {@code tailrace ledger}. */
@Command(
        name = "ledger",
        mixinStandardHelpOptions = true,
        description = "Looks into the ledger, or makes a copied one this machine's own.",
        subcommands = {LedgerCommand.Dump.class, LedgerCommand.Adopt.class})
final class LedgerCommand implements Runnable {
    @CommandLine.Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    LedgerCommand() {}

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "Name what to do: ledger dump, or ledger adopt");
    }

    /** {@code tailrace ledger dump}. */
    @Command(
            name = "dump",
            mixinStandardHelpOptions = true,
            description = "Prints every record of the ledger, in order. Changes nothing; the agent may run.",
            footer = {
                "%nExample:%n  tailrace ledger dump --state /var/lib/tailrace | less",
                "%nExit status:%n  0    the ledger is whole%n  1    it cannot be read; the message says why%n"
            })
    static final class Dump implements Callable<Integer> {
        @ArgGroup(multiplicity = "1")
        private StateOption where;

        @Option(names = "--json", description = "Print each record as a line of JSON.")
        private boolean json;

        @SuppressWarnings("NullAway.Init") // picocli sets the options
        Dump() {}

        @Override
        public Integer call() throws ConfigException, IOException {
            Path state = where.state();
            PrintStream out = System.out;
            LedgerFile.Content content = LedgerFile.read(
                            new LinuxKernel(), LinuxPath.of(state.toString()), each -> out.println(line(each)))
                    .orElseThrow(() -> new IOException("there is no ledger in " + state));
            if (content.isTorn()) {
                System.err.println((content.fileBytes() - content.validBytes())
                        + " bytes of an unfinished record follow: being written, or torn by a crash");
            }
            return ExitCode.OK;
        }

        private String line(LedgerRecord ledgerRecord) {
            if (!json) {
                return ledgerRecord.toString();
            }
            return RecordJson.write((Record) ledgerRecord);
        }
    }

    /** {@code tailrace ledger adopt}. */
    @Command(
            name = "adopt",
            mixinStandardHelpOptions = true,
            description = {
                "Makes a copied ledger this agent's own: one that was restored from a backup, moved to another",
                "filesystem, or cloned with its machine. It gets a new id, so that new batches do not bear the names",
                "of delivered ones, and its files are found again by their names and contents.",
                "What was delivered since the copy was made is delivered again."
            },
            footer = {
                "%nExample:%n  tailrace ledger adopt --state /var/lib/tailrace",
                "%nExit status:%n  0    the ledger is adopted%n  1    it cannot be; the message says why%n"
            })
    static final class Adopt implements Callable<Integer> {
        @ArgGroup(multiplicity = "1")
        private StateOption where;

        @SuppressWarnings("NullAway.Init") // picocli sets the options
        Adopt() {}

        @Override
        public Integer call() throws ConfigException, IOException {
            var kernel = new LinuxKernel();
            LinuxPath pins = LinuxPath.of(where.pins().toString());
            byte[] id = new byte[4];
            new SecureRandom().nextBytes(id);
            try (var directory =
                    StateDirectory.lock(kernel, LinuxPath.of(where.state().toString()))) {
                Adoption adoption =
                        Adoption.adopt(kernel, directory, HexFormat.of().formatHex(id), pins);
                System.out.println("The ledger is adopted, and its id is " + adoption.id() + " now.");
                adoption.refound().forEach(path -> System.out.println("  found again: " + path));
                adoption.missing().forEach(path -> System.out.println("  not found:   " + path));
                return ExitCode.OK;
            }
        }
    }
}
