package tailrace.core.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.batch.Batch;
import tailrace.core.batch.BatchId;
import tailrace.core.batch.Extent;
import tailrace.core.ledger.LedgerRecord;
import tailrace.core.ledger.LedgerState;
import tailrace.core.track.Inheritance;
import tailrace.core.track.Progress;
import tailrace.core.track.Route;
import tailrace.core.track.TrackedFile;

/** From what the ledger says to what the stages begin with. */
final class Recovery {
    private final Map<Integer, TrackedFile> files = new HashMap<>();
    private final List<Batch> open = new ArrayList<>();
    private final EventLog log;

    /** @param resumable by the routes' indices, whether their sinks resume by position */
    Recovery(LedgerState state, String ledger, List<Route> routes, List<Boolean> resumable, EventLog log) {
        this.log = log;
        for (String name : state.routes()) {
            if (routes.stream().noneMatch(route -> route.name().equals(name))
                    && state.books(name).pending() > 0) {
                log.report(
                        Event.ROUTE_REMOVED,
                        name,
                        state.books(name).pending() + " bytes are pending on it and will not be delivered");
            }
        }
        for (LedgerRecord.FileState file : state.files()) {
            restore(file, state, routes);
        }
        var undone = new ArrayList<Batch>();
        for (LedgerRecord.Sealed batch : state.openBatches()) {
            Optional<Route> route =
                    routes.stream().filter(r -> r.name().equals(batch.route())).findFirst();
            if (route.isEmpty()) {
                continue;
            }
            Batch reopened = reopen(batch, ledger, route.get());
            if (resumable.get(route.get().index())) {
                undone.addFirst(reopened);
            } else {
                open.add(reopened);
            }
        }
        undone.forEach(batch -> undo(batch, state));
    }

    private void restore(LedgerRecord.FileState state, LedgerState ledger, List<Route> routes) {
        var file = TrackedFile.restored(
                state.file(),
                state.identity(),
                state.firstPath(),
                routes.size(),
                state.epoch(),
                state.seen(),
                state.seenBefore());
        for (Route route : routes) {
            ledger.progress(state.file(), route.name()).ifPresent(progress -> file.join(route, progress));
        }
        ledger.inheritance(state.file()).ifPresent(file::inherit);
        files.put(state.file(), file);
    }

    private static Batch reopen(LedgerRecord.Sealed batch, String ledger, Route route) {
        return new Batch(
                new BatchId(ledger, batch.run(), batch.sequence()),
                route,
                batch.partition(),
                batch.key(),
                batch.extents(),
                batch.sealedAt());
    }

    /** What a resumable sink may have got of it will be cut off, so it is as if it had never been sealed. */
    private void undo(Batch batch, LedgerState state) {
        for (Extent extent : batch.extents().reversed()) {
            Progress progress = state.progress(extent.file(), batch.route().name())
                    .orElseThrow(() -> new IllegalStateException("file " + extent.file() + " does not travel on "
                            + batch.route().name()));
            TrackedFile file = Objects.requireNonNull(files.get(extent.file()));
            if (extent.epoch() != file.epoch()) {
                endEpoch(file, extent, progress, batch.route());
            } else if (progress.sealed() == extent.to()) {
                progress.unseal(extent.from(), extent.guardBefore());
            } else {
                progress.giveBack(extent.range());
            }
        }
    }

    /** The file has begun anew since: its copy has these bytes, or nobody. */
    private void endEpoch(TrackedFile file, Extent extent, Progress progress, Route route) {
        Inheritance.settle(files.values(), file, route, progress, extent.epoch(), extent.range(), heir -> {})
                .ifPresent(gone -> log.report(
                        Event.BYTES_LOST,
                        file.firstPath(),
                        gone.lengthBytes() + " bytes that were truncated while the agent was stopped"));
    }

    List<TrackedFile> files() {
        return List.copyOf(files.values());
    }

    /** Batches to be carried again, as they were sealed. */
    List<Batch> openBatches() {
        return open;
    }
}
