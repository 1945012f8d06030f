package tailrace.core.deliver;

import java.util.random.RandomGenerator;

/** How long to wait before trying again: exponential, with jitter so that a fleet does not come back in step. */
final class Backoff {
    private static final long FIRST_MILLIS = 100;
    private static final long MOST_MILLIS = 30_000;

    /** A refusal needs a person, so there is no hurry. */
    private static final long REFUSED_MILLIS = 60_000;

    /** In haste the end is near, */
    private static final long MOST_HASTY_MILLIS = 1_000;

    /** and of the time that is left no wait takes more than such a part, */
    private static final long HASTY_TRIES = 10;

    /** unless that is hardly any. */
    private static final long LEAST_HASTY_MILLIS = 20;

    private static final int MAX_DOUBLINGS = 16;

    private final RandomGenerator random;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    /** @param failures in a row, at least 1 */
    long millis(int failures, boolean refused) {
        return jittered(failures, refused, refused ? REFUSED_MILLIS : MOST_MILLIS);
    }

    /**
     * As {@link #millis}, when the instance will go.
     *
     * @param leftMillis until then
     */
    long hastyMillis(int failures, boolean refused, long leftMillis) {
        return jittered(failures, refused, Math.clamp(leftMillis / HASTY_TRIES, LEAST_HASTY_MILLIS, MOST_HASTY_MILLIS));
    }

    private long jittered(int failures, boolean refused, long most) {
        long base = refused ? most : Math.min(most, FIRST_MILLIS << Math.min(failures - 1, MAX_DOUBLINGS));
        return base / 2 + random.nextLong(base / 2 + 1);
    }
}
