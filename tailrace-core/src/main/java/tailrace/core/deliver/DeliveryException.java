package tailrace.core.deliver;

import java.time.Duration;
import java.util.Optional;

/** A sink's decision about a batch that it did not take. */
public final class DeliveryException extends Exception {
    private enum Decision {
        TRANSIENT,
        REFUSED,
        REJECTED
    }

    private final Decision decision;
    private final Optional<Duration> retryAfter;

    private DeliveryException(String message, Decision decision, Optional<Duration> retryAfter, Throwable cause) {
        super(message, cause);
        this.decision = decision;
        this.retryAfter = retryAfter;
    }

    /**
     * It may go better next time.
     *
     * @param message what failed and what a person can do
     */
    public static DeliveryException transientFailure(String message, Throwable cause) {
        return new DeliveryException(message, Decision.TRANSIENT, Optional.empty(), cause);
    }

    /** As {@link #transientFailure}, but not before the given time has passed. */
    public static DeliveryException transientFailure(String message, Duration retryAfter, Throwable cause) {
        return new DeliveryException(message, Decision.TRANSIENT, Optional.of(retryAfter), cause);
    }

    /**
     * It will not go better until a person does something.
     *
     * @param advice what that is
     */
    public static DeliveryException refusal(String message, String advice) {
        return new DeliveryException(
                message + ". " + advice, Decision.REFUSED, Optional.empty(), new IllegalStateException(message));
    }

    /**
     * This batch will never be taken as it is, whatever else is done; others may be.
     *
     * @param advice what can be done all the same
     */
    public static DeliveryException rejection(String message, String advice) {
        return new DeliveryException(
                message + ". " + advice, Decision.REJECTED, Optional.empty(), new IllegalStateException(message));
    }

    /** Whether it will not go better by itself. */
    public boolean isRefusal() {
        return decision != Decision.TRANSIENT;
    }

    /** Whether it will not go better at all: a case for the folder of dead letters, if there is one. */
    public boolean isRejection() {
        return decision == Decision.REJECTED;
    }

    public Optional<Duration> retryAfter() {
        return retryAfter;
    }
}
