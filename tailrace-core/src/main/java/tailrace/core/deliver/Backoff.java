package tailrace.core.deliver;

import java.util.random.RandomGenerator;

/** How long to wait before trying again: exponential, with jitter so that a fleet does not come back in step. */
final class Backoff {
    private static final long FIRST_MILLIS = 100;
    private static final long MOST_MILLIS = 30_000;

    /** A refusal needs a person, so there is no hurry. */
    private static final long REFUSED_MILLIS = 60_000;

    /** While draining the deadline is near. */
    private static final long MOST_DRAINING_MILLIS = 1_000;

    private static final int MAX_DOUBLINGS = 16;

    private final RandomGenerator random;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** @param failures in a row, at least 1 */
    long millis(int failures, boolean refused, boolean draining) {
        long most = draining ? MOST_DRAINING_MILLIS : refused ? REFUSED_MILLIS : MOST_MILLIS;
        long base = refused ? most : Math.min(most, FIRST_MILLIS << Math.min(failures - 1, MAX_DOUBLINGS));
        return base / 2 + random.nextLong(base / 2 + 1);
    }
}
