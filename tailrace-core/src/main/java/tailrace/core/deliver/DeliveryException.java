package tailrace.core.deliver;

import java.time.Duration;
import java.util.Optional;

/** A sink's decision about a batch that it did not take. */
public final class DeliveryException extends Exception {
    private final boolean refused;
    private final Optional<Duration> retryAfter;

    private DeliveryException(String message, boolean refused, Optional<Duration> retryAfter, Throwable cause) {
        super(message, cause);
        this.refused = refused;
        this.retryAfter = retryAfter;
    }

    /**
     * It may go better next time.
     *
     * @param message what failed and what a person can do
     */
    public static DeliveryException transientFailure(String message, Throwable cause) {
        return new DeliveryException(message, false, Optional.empty(), cause);
    }

    /** As {@link #transientFailure}, but not before the given time has passed. */
    public static DeliveryException transientFailure(String message, Duration retryAfter, Throwable cause) {
        return new DeliveryException(message, false, Optional.of(retryAfter), cause);
    }

    /**
     * It will not go better until a person does something.
     *
     * @param advice what that is
     */
    public static DeliveryException refusal(String message, String advice) {
        return new DeliveryException(
                message + ". " + advice, true, Optional.empty(), new IllegalStateException(message));
    }

    public boolean isRefusal() {
        return refused;
    }

    public Optional<Duration> retryAfter() {
        return retryAfter;
    }
}
