package tailrace.core.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import tailrace.core.ledger.Ledger;

/** What waits until the ledger is durable up to a position, in its order. For the loop's thread alone. */
final class AfterCommit {
    private record Step(long position, Runnable what) {}

    private final Ledger ledger;
    private final Deque<Step> steps = new ArrayDeque<>();

    AfterCommit(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Does this when the ledger is durable so far, and what was given before is done. */
    void run(long position, Runnable what) {
        steps.add(new Step(position, what));
    }

    void runDurable() {
        while (!steps.isEmpty() && ledger.isDurable(steps.getFirst().position)) {
            steps.removeFirst().what.run();
        }
    }
}
