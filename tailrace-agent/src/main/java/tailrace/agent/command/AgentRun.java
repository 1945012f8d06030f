package tailrace.agent.command;

import static tailrace.agent.config.Units.sizeText;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import tailrace.agent.admin.AdminServer;
import tailrace.agent.config.AgentConfig;
import tailrace.agent.config.Units;
import tailrace.agent.console.ProgressView;
import tailrace.agent.console.Screen;
import tailrace.agent.instance.NoticeWatch;
import tailrace.agent.status.StatusSocket;
import tailrace.core.Clock;
import tailrace.core.EventLog;
import tailrace.core.PlatformWorkers;
import tailrace.core.World;
import tailrace.core.engine.Engine;
import tailrace.core.engine.Status;
import tailrace.core.manifest.ManifestEntry;
import tailrace.core.manifest.PendingRange;
import tailrace.core.track.Books;
import tailrace.linux.LinuxKernel;

/** An engine in the foreground, from its start to its exit status. */
final class AgentRun {
    /** Of what is pending in the end; the next start knows all of it. */
    private static final int MOST_SHOWN = 100;

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
    static int run(AgentConfig config, Screen screen, boolean follow, Duration drainTimeout) throws IOException {
        var log = new EventLog(screen);
        try (Engine engine = Engine.open(config.engine(), world(), log);
                Console console = Console.open(config, engine, log)) {
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
            Status end = engine.finalStatus();
            console.ended(all ? "" : sizeText(end.books().pending()) + " are pending");
            summarise(end, engine.finalPending(), screen);
            if (!follow && end.unreadable() > 0) {
                screen.print(end.unreadable() + " files could not be read; see the warnings above");
                return ExitCode.FAILED;
            }
            return all ? ExitCode.OK : ExitCode.PENDING;
        }
    }

    /** By what others reach the engine while it runs. */
    private record Console(Optional<StatusSocket> socket, Optional<AdminServer> admin, NoticeWatch notices)
            implements AutoCloseable {
        static Console open(AgentConfig config, Engine engine, EventLog log) throws IOException {
            Optional<AdminServer> admin = config.admin().isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            AdminServer.start(config.admin().get(), engine, config.drainTimeout(), Units::duration));
            return new Console(
                    StatusSocket.open(Path.of(config.engine().state().toString()), engine, log),
                    admin,
                    NoticeWatch.start(config.notices(), log, engine::hasten));
        }

        void ended(String left) {
            admin.ifPresent(server -> server.ended(left));
        }

        @Override
        public void close() throws IOException {
            notices.close();
            admin.ifPresent(AdminServer::close);
            if (socket.isPresent()) {
                socket.get().close();
            }
        }
    }

    private static void summarise(Status status, Map<String, List<PendingRange>> left, Screen screen) {
        Books books = status.books();
        String filtered = books.filtered() == 0 ? "" : ", " + sizeText(books.filtered()) + " filtered out";
        screen.print("%s delivered (%d bytes) in %d batches, %s pending, %s lost%s"
                .formatted(
                        sizeText(books.delivered()),
                        books.delivered(),
                        status.batchesDelivered(),
                        sizeText(books.pending()),
                        sizeText(books.lost()),
                        filtered));
        left.forEach((route, ranges) -> {
            for (PendingRange range : ranges.subList(0, Math.min(ranges.size(), MOST_SHOWN))) {
                ManifestEntry.Part part = range.part();
                screen.print(
                        "  pending: " + part.file() + " bytes [" + part.from() + ", " + part.to() + ") for " + route);
            }
            if (ranges.size() > MOST_SHOWN) {
                screen.print("  and " + (ranges.size() - MOST_SHOWN) + " more for " + route);
            }
        });
    }
}
