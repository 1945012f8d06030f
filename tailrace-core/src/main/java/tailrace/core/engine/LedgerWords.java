package tailrace.core.engine;

import java.util.ArrayList;
import java.util.List;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.Outcome;
import tailrace.core.deliver.Receipt;
import tailrace.core.ledger.LedgerRecord;
import tailrace.core.track.Inheritance;
import tailrace.core.track.Loss;
import tailrace.core.track.Progress;
import tailrace.core.track.Route;
import tailrace.core.track.TrackedFile;

/** The stages' values in the ledger's words. */
final class LedgerWords {
    private LedgerWords() {}

    /** All there is to say of a file. */
    static List<LedgerRecord> states(TrackedFile file, List<Route> routes) {
        Inheritance inheritance = file.inheritance();
        return inheritance == null
                ? List.of(state(file, routes))
                : List.of(state(file, routes), new LedgerRecord.CopyOf(file.number(), inheritance));
    }

    private static LedgerRecord.FileState state(TrackedFile file, List<Route> routes) {
        var states = new ArrayList<LedgerRecord.RouteState>();
        for (Route route : routes) {
            Progress p = file.on(route);
            if (p != null) {
                states.add(new LedgerRecord.RouteState(
                        route.name(),
                        p.elsewhereBytes(),
                        p.sealed(),
                        p.guard(),
                        p.deliveredBytes(),
                        p.lostBytes(),
                        p.filteredBytes(),
                        List.copyOf(p.returned())));
            }
        }
        return new LedgerRecord.FileState(
                file.number(), file.identity(), file.firstPath(), file.epoch(), file.seen(), file.seenBefore(), states);
    }

    static LedgerRecord.Sealed sealed(Batch batch) {
        return new LedgerRecord.Sealed(
                batch.id().run(),
                batch.id().sequence(),
                batch.route().name(),
                batch.partition(),
                batch.key(),
                batch.sealedAt(),
                batch.extents());
    }

    static LedgerRecord.Delivered delivered(Outcome.Delivered outcome) {
        Receipt receipt = outcome.receipt();
        return new LedgerRecord.Delivered(
                outcome.batch().id().run(),
                outcome.batch().id().sequence(),
                receipt.position(),
                outcome.lengthBytes(),
                receipt.crc32c(),
                receipt.withheld());
    }

    static LedgerRecord.Abandoned abandoned(Batch batch) {
        return new LedgerRecord.Abandoned(batch.id().run(), batch.id().sequence());
    }

    static LedgerRecord.Lost lost(Loss loss) {
        return new LedgerRecord.Lost(
                loss.file().number(), loss.route().name(), loss.epoch(), loss.range(), loss.reason());
    }
}
