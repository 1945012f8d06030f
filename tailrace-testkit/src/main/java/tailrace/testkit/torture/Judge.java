package tailrace.testkit.torture;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tailrace.core.engine.Status;
import tailrace.testkit.simulation.SimulatedMachine;

/** Compares what was written with what arrived, and with what the books say. */
final class Judge {
    private static final long FULL_BYTES = 0;
    private static final long ROOMY_BYTES = 1L << 40;

    private final Setup setup;
    private final SimulatedMachine machine;
    private final RemoteStore store;
    private final Writers writers;
    private final Excuses excuses;
    private boolean stateWasFull;

    Judge(Setup setup, SimulatedMachine machine, RemoteStore store, Writers writers, Excuses excuses) {
        this.setup = setup;
        this.machine = machine;
        this.store = store;
        this.writers = writers;
        this.excuses = excuses;
    }

    /** State and output share a disk, as they often do. */
    void fill(String directory) {
        stateWasFull = true;
        machine.limitSpace("/disk", FULL_BYTES);
    }

    void free(String directory) {
        machine.limitSpace("/disk", ROOMY_BYTES);
    }

    boolean isStateFull() {
        return stateWasFull;
    }

    void calmDown() {
        free("/disk");
    }

    private Map<String, Delivered> delivered() {
        var all = new LinkedHashMap<String, Delivered>();
        for (String sink : setup.sinks()) {
            all.put(
                    sink,
                    sink.equals("remote")
                            ? Delivered.toRemote(store)
                            : Delivered.toFolder(machine, Setup.OUT + "/" + sink));
        }
        return all;
    }

    /** Lines that have not arrived everywhere and have no excuse. */
    List<Integer> missing(Trace trace, Scheduler scheduler) {
        var missing = new ArrayList<Integer>();
        for (Delivered delivered : delivered().values()) {
            for (int id = writers.complete().nextSetBit(0);
                    id >= 0;
                    id = writers.complete().nextSetBit(id + 1)) {
                if (!excuses.mayBeLost(id) && delivered.count(id) == 0) {
                    missing.add(id);
                }
            }
        }
        trace.note(scheduler, () -> "missing: " + missing + " in " + filesWith(missing));
        return missing;
    }

    private List<String> filesWith(List<Integer> ids) {
        return machine.filesBelow(Setup.SPOOL).stream()
                .filter(path -> {
                    byte[] content = machine.content(path);
                    return content != null && ids.stream().anyMatch(id -> contains(content, id));
                })
                .toList();
    }

    private static boolean contains(byte[] content, int id) {
        for (int at = 0; at < content.length; at++) {
            if (Lines.idAt(content, at) == id) {
                return true;
            }
        }
        return false;
    }

    /** At the very end: everything is where it should be, once. */
    void judge(Trace trace, Scheduler scheduler) {
        List<Integer> missing = missing(trace, scheduler);
        if (!missing.isEmpty()) {
            throw new Violation("nothing is lost", "lines " + missing);
        }
        delivered().forEach((sink, delivered) -> {
            for (int id = writers.complete().nextSetBit(0);
                    id >= 0;
                    id = writers.complete().nextSetBit(id + 1)) {
                if (delivered.count(id) > excuses.mostOf(id)) {
                    throw new Violation(
                            "nothing is delivered twice",
                            "line " + id + " " + delivered.count(id) + " times at " + sink);
                }
            }
        });
    }

    /** The books at the end of a run say what the sinks have. */
    void checkBooks(Status status, RemoteStore remote) {
        Map<String, Delivered> delivered = delivered();
        for (Status.RouteStatus route : status.routes()) {
            Delivered there =
                    delivered.get(route.route().substring(route.route().indexOf('>') + 1));
            if (there != null && route.books().delivered() > there.bytes()) {
                throw new Violation(
                        "what counts as delivered is there",
                        route.route() + " says " + route.books().delivered() + " bytes and " + there.bytes()
                                + " are there");
            }
        }
    }
}
