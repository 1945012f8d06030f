package tailrace.testkit.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds a short script that breaks the same promise: leaves out what can be left out, larger parts first. A step less
 * shifts every chance after it, so a shorter script is tried with several schedules before it counts as harmless.
 */
final class Shrinker {
    private static final int MAX_TRIALS = 4_000;
    private static final int SCHEDULES = 8;

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
                Script without =
                        failing(without(best, from, Math.min(best.steps().size(), from + part)));
                if (without != null) {
                    best = without;
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

    /** The script under a schedule that breaks the promise, if one of a few does. */
    private @Nullable Script failing(Script candidate) {
        for (int i = 0; i < SCHEDULES && trials < MAX_TRIALS; i++) {
            Script scheduled = candidate.scheduled(candidate.seed() + i);
            trials++;
            Optional<Violation> violation = Life.play(scheduled, null);
            if (violation.isPresent() && violation.get().invariant().equals(invariant)) {
                return scheduled;
            }
        }
        return null;
    }
}
