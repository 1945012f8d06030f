package tailrace.agent.command;

import static tailrace.agent.config.Units.sizeText;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import tailrace.agent.console.ProgressView;
import tailrace.agent.console.Screen;
import tailrace.agent.status.StatusSocket;
import tailrace.core.Clock;
import tailrace.core.EventLog;
import tailrace.core.PlatformWorkers;
import tailrace.core.World;
import tailrace.core.engine.Engine;
import tailrace.core.engine.EngineSettings;
import tailrace.core.engine.Status;
import tailrace.core.track.Books;
import tailrace.linux.LinuxKernel;

/** An engine in the foreground, from its start to its exit status. */
final class AgentRun {
    private AgentRun() {}

    /** The world as it is. */
    static World world() {
        RandomGenerator random = new SplittableRandom();
        return new World(new LinuxKernel(), Clock.SYSTEM, new PlatformWorkers(), random);
    }

    /**
     * Runs until told to stop, or, without {@code follow}, until everything there is has been delivered.
     *
     * @param drainTimeout after a signal
     */
    static int run(EngineSettings settings, Screen screen, boolean follow, Duration drainTimeout) throws IOException {
        var log = new EventLog(screen);
        try (Engine engine = Engine.open(settings, world(), log)) {
            Optional<StatusSocket> socket =
                    StatusSocket.open(Path.of(settings.state().toString()), engine, log);
            Shutdown.onSignal(() -> engine.drain(drainTimeout));
            if (!follow) {
                engine.drain(Duration.ofNanos(Long.MAX_VALUE));
            }
            boolean all;
            boolean progress = !follow || screen.isTerminal();
            try (AutoCloseable view = progress ? new ProgressView(engine, screen, follow) : () -> {}) {
                all = engine.run();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException("only closing the view remains, and that throws nothing", e);
            }
            if (socket.isPresent()) {
                socket.get().close();
            }
            Status end = engine.finalStatus();
            summarise(end, screen);
            if (!follow && end.unreadable() > 0) {
                screen.print(end.unreadable() + " files could not be read; see the warnings above");
                return ExitCode.FAILED;
            }
            return all ? ExitCode.OK : ExitCode.PENDING;
        }
    }

    private static void summarise(Status status, Screen screen) {
        Books books = status.books();
        screen.print("%s delivered (%d bytes) in %d batches, %s pending, %s lost"
                .formatted(
                        sizeText(books.delivered()),
                        books.delivered(),
                        status.batchesDelivered(),
                        sizeText(books.pending()),
                        sizeText(books.lost())));
        if (books.pending() > 0) {
            for (Status.FileStatus file : status.lagging()) {
                screen.print(
                        "  pending: " + file.books().pending() + " bytes of " + file.file() + " for " + file.route());
            }
        }
    }
}
