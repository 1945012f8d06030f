package tailrace.agent.command;

import static tailrace.agent.config.Units.sizeText;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tailrace.agent.config.ConfigException;
import tailrace.agent.config.Units;
import tailrace.agent.console.ProgressView;
import tailrace.agent.console.Screen;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.engine.Engine;
import tailrace.core.engine.EngineSettings;
import tailrace.core.engine.Status;
import tailrace.core.manifest.Audit;
import tailrace.core.manifest.FolderArchive;
import tailrace.core.track.Books;
import tailrace.linux.LinuxKernel;

/** {@code tailrace demo}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = "Shows the whole thing in a temporary folder: a service writes ad clicks and renames its file"
                + " every second; the agent delivers them; then every line and every byte is counted.",
        footer = {
            "%nExample:%n  tailrace demo --seconds 30 --rate 100MB",
            "%nExit status:%n  0    the books balance: nothing lost, nothing doubled%n  1    they do not%n"
        })
final class DemoCommand implements Callable<Integer> {
    @Option(names = "--seconds", paramLabel = "N", description = "How long the service writes (10).")
    private int seconds = 10;

    @Option(names = "--rate", paramLabel = "SIZE", description = "How much it writes a second (20MB).")
    private String rate = "20MB";

    @Option(names = "--folder", paramLabel = "DIR", description = "An empty folder to use; by default a temporary one.")
    private @Nullable Path folder;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    DemoCommand() {}

    @Override
    public Integer call() throws IOException, ConfigException {
        Path base = folder == null ? Files.createTempDirectory("tailrace-demo-") : Files.createDirectories(folder);
        Path logs = Files.createDirectories(base.resolve("logs"));
        Path delivered = base.resolve("delivered");
        var screen = new Screen(Event.Level.WARN);
        screen.print(
                "A service writes " + rate + "/s of ad clicks to " + logs + "/clicks.log and rotates every second.");
        screen.print("The agent delivers them to " + delivered + ".");
        var writer = new DemoWriter(logs, Units.size(rate));
        var log = new EventLog(screen);
        Books books;
        try (Engine engine = Engine.open(settings(base), AgentRun.world(), log)) {
            Shutdown.onSignal(writer::stop);
            books = run(engine, writer, screen);
        }
        return report(base, delivered, writer, books);
    }

    private static EngineSettings settings(Path base) throws ConfigException {
        String yaml = """
            state: '%1$s/state'
            sources: {clicks: {include: '%1$s/logs/clicks.log*'}}
            sinks: {delivered: {type: file, path: '%1$s/delivered'}}
            routes: [{from: clicks, to: delivered, batch: {bytes: 16MiB, age: 500ms}}]
            """.formatted(base.toString().replace("'", "''").replace("${", "$${"));
        return Host.configReader().read("the demo", yaml).engine();
    }

    /** Writes for a while, then stops the service, and then the agent, which drains. */
    private Books run(Engine engine, DemoWriter writer, Screen screen) throws IOException {
        Thread service = Thread.ofPlatform().name("service").daemon().start(writer);
        CompletableFuture<Void> director = CompletableFuture.runAsync(
                () -> {
                    try {
                        service.join(TimeUnit.SECONDS.toMillis(seconds));
                        writer.stop();
                        service.join();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    engine.drain(Duration.ofSeconds(30));
                },
                task -> Thread.ofPlatform().name("director").daemon().start(task));
        try (var view = new ProgressView(engine, screen, true)) {
            engine.run();
            director.join();
        } catch (CompletionException e) {
            throw new IOException("the demo was interrupted", e);
        }
        Status status = engine.finalStatus();
        return status.books();
    }

    private static int report(Path base, Path delivered, DemoWriter writer, Books books) throws IOException {
        Audit.Result audit;
        try (var archive = new FolderArchive(new LinuxKernel(), delivered)) {
            audit = new Audit(archive, true).run();
        }
        var check = new DemoCheck(delivered);
        long lost = check.lost(writer.lines());
        boolean good = lost == 0
                && check.duplicated() == 0
                && books.balance()
                && books.delivered() == writer.bytes()
                && audit.bytes() == writer.bytes()
                && audit.problems().isEmpty()
                && writer.failure().isEmpty();
        System.out.println("written    " + writer.lines() + " lines, " + sizeText(writer.bytes()));
        System.out.println(
                "delivered  " + check.delivered() + " lines, " + sizeText(audit.bytes()) + ", checksums agree");
        System.out.println("lost       " + lost);
        System.out.println("duplicated " + check.duplicated());
        System.out.println("The output lies in " + delivered + ", its manifests in " + delivered + "/_tailrace.");
        System.out.println("Delete it all: rm -r " + base);
        audit.problems().forEach(problem -> System.out.println("PROBLEM: " + problem));
        if (!writer.failure().isEmpty()) {
            System.out.println("PROBLEM: the service could not write: " + writer.failure());
        }
        if (!good) {
            System.out.println("The books do not balance: " + books);
        }
        return good ? ExitCode.OK : ExitCode.FAILED;
    }
}
