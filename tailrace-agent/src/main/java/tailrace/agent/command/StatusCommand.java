package tailrace.agent.command;

import static tailrace.agent.config.Units.sizeText;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tailrace.agent.config.ConfigException;
import tailrace.agent.status.StatusJson;
import tailrace.agent.status.StatusSocket;
import tailrace.core.engine.Status;
import tailrace.core.ledger.LedgerFile;
import tailrace.core.ledger.LedgerState;
import tailrace.core.ledger.StateDirectory;
import tailrace.core.track.Books;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

/** {@code tailrace status}. */
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Shows the books: how many bytes were seen, delivered, are pending, are lost. Asks the running"
                + " agent, or reads its ledger when none runs.",
        footer = {
            "%nExamples:%n  tailrace status --config tailrace.yaml%n  tailrace status --state /var/lib/tailrace --json",
            "%nExit status:%n  0    the books balance%n  1    they do not, or cannot be read%n"
                    + "  2    the command line or the configuration is wrong%n"
        })
final class StatusCommand implements Callable<Integer> {
    private static final String ROW = "%-24s %12s %12s %12s %12s %12s";

    @ArgGroup(multiplicity = "1")
    private StateOption where;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    StatusCommand() {}

    @Override
    public Integer call() throws ConfigException, IOException {
        Path state = where.state();
        Optional<String> answer = StatusSocket.ask(state);
        Status status = answer.isPresent() ? StatusJson.read(answer.get()) : fromLedger(state);
        if (json) {
            System.out.println(StatusJson.write(status));
        } else {
            String agent = answer.isPresent()
                    ? "running on " + status.host() + " since " + status.startedAt()
                            + (status.draining() ? ", draining" : "")
                    : StateDirectory.holder(new LinuxKernel(), LinuxPath.of(state.toString()))
                            .map(pid -> "process " + pid + " runs but does not answer; from its ledger")
                            .orElse("not running; from the ledger of " + status.host());
            print(status, agent);
        }
        return status.routes().stream().allMatch(route -> route.books().balance()) ? ExitCode.OK : ExitCode.FAILED;
    }

    private static Status fromLedger(Path state) throws IOException {
        LedgerFile.Content content = LedgerFile.read(new LinuxKernel(), LinuxPath.of(state.toString()), each -> {})
                .orElseThrow(() -> new IOException(
                        "there is no ledger in " + state + ": no agent has run with this state directory"));
        LedgerState ledger = content.state();
        List<Status.RouteStatus> routes = ledger.routes().stream()
                .map(route -> new Status.RouteStatus(route, ledger.books(route)))
                .toList();
        return new Status(
                ledger.lastHost(),
                content.id(),
                Instant.EPOCH,
                false,
                ledger.files().size(),
                0,
                0,
                routes,
                List.of());
    }

    private static void print(Status status, String agent) {
        System.out.println(agent);
        String unreadable = status.unreadable() == 0 ? "" : ", " + status.unreadable() + " more CANNOT BE READ";
        System.out.println(status.files() + " files" + unreadable + ", ledger " + status.ledger());
        System.out.printf(ROW + "%n", "route", "seen", "delivered", "pending", "lost", "filtered");
        for (Status.RouteStatus route : status.routes()) {
            Books b = route.books();
            System.out.printf(
                    ROW + "%s%n",
                    route.route(),
                    sizeText(b.seen()),
                    sizeText(b.delivered()),
                    sizeText(b.pending()),
                    sizeText(b.lost()),
                    sizeText(b.filtered()),
                    b.balance() ? "" : "  DOES NOT BALANCE");
        }
        for (Status.FileStatus file : status.lagging()) {
            System.out.println("  pending " + sizeText(file.books().pending()) + "  " + file.file());
        }
    }
}
