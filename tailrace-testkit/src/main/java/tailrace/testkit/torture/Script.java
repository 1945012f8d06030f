package tailrace.testkit.torture;

import java.util.List;

/**
 * A life to be played.
 *
 * @param seed decides everything that the steps leave open: who runs first, how short a read is
 */
public record Script(long seed, Setup setup, List<Step> steps) {
    public Script {
        steps = List.copyOf(steps);
    }

    Script with(List<Step> fewer) {
        return new Script(seed, setup, fewer);
    }

    /** The same steps, with other chances. */
    Script scheduled(long otherSeed) {
        return new Script(otherSeed, setup, steps);
    }
}
