package tailrace.testkit.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds a short script that breaks the same promise: leaves out what can be left out, larger parts first. */
final class Shrinker {
    private static final int MAX_TRIALS = 600;

    private final String invariant;
    private int trials;

    private Shrinker(String invariant) {
        this.invariant = invariant;
    }

    static Script shrink(Script failing, Violation violation) {
        return new Shrinker(violation.invariant()).shrink(failing);
    }

    private Script shrink(Script failing) {
        Script best = failing;
        int part = Math.max(1, failing.steps().size() / 2);
        while (part >= 1 && trials < MAX_TRIALS) {
            boolean shorter = false;
            for (int from = 0; from < best.steps().size() && trials < MAX_TRIALS; from += part) {
                Script candidate = without(best, from, Math.min(best.steps().size(), from + part));
                if (stillFails(candidate)) {
                    best = candidate;
                    shorter = true;
                    from -= part;
                }
            }
            if (!shorter || part > best.steps().size()) {
                part = part == 1 ? 0 : part / 2;
            }
        }
        return best;
    }

    private static Script without(Script script, int from, int to) {
        List<Step> steps = new ArrayList<>(script.steps());
        steps.subList(from, to).clear();
        return script.with(steps);
    }

    private boolean stillFails(Script candidate) {
        trials++;
        Optional<Violation> violation = Life.play(candidate, null);
        return violation.isPresent() && violation.get().invariant().equals(invariant);
    }
}
