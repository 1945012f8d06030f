package tailrace.testkit.torture;

import java.util.List;
import tailrace.testkit.simulation.SimulatedKernel;
import tailrace.testkit.simulation.SimulatedMachine;

/** What the agent must not hold for longer than it needs it. */
final class Leaks {
    /** The folders of a script's world, and those above them. */
    private static final int MAX_FOLDERS = 8;

    /** Files whose end is known and not yet settled. */
    private static final int MAX_DEPARTING = 10;

    private final SimulatedMachine machine;

    Leaks(SimulatedMachine machine) {
        this.machine = machine;
    }

    /** At any rest: one watch for each folder, and one for each file without a name. */
    void checkWatches(SimulatedKernel process, int files) {
        if (process.watched() > MAX_FOLDERS + files) {
            throw new Violation("no watch is left behind", process.watched() + " watches, and " + files + " files");
        }
    }

    /** At any rest: what is remembered is there, or held open, or was lost a moment ago. */
    void checkMemory(SimulatedKernel process, int files) {
        int held = process.openDescriptors() + MAX_DEPARTING;
        if (files <= held) {
            return; // nearly always, and then nobody need walk through the folders
        }
        int most = machine.filesBelow(Setup.SPOOL).size() + held;
        if (files > most) {
            throw new Violation(
                    "memory is bounded", files + " files are remembered, and at most " + most + " are there");
        }
    }

    /** When a process has ended in order. */
    void checkDescriptors(SimulatedKernel process) {
        if (process.openDescriptors() > 0) {
            throw new Violation("nothing is left open", process.describeOpen().toString());
        }
    }

    /** When all is delivered, and the agent has ended in order. */
    void checkAtTheEnd() {
        List<String> pins = machine.filesBelow(Setup.PINS);
        if (!pins.isEmpty()) {
            throw new Violation("no pin is left behind", pins.toString());
        }
        List<String> ledgers = machine.filesBelow(Setup.STATE).stream()
                .filter(path -> path.contains("/ledger"))
                .toList();
        if (ledgers.size() != 1) {
            throw new Violation("one whole ledger exists", ledgers.toString());
        }
    }
}
