package tailrace.testkit.torture;

/** A promise was broken. */
public final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String invariant;

    /**
     * @param invariant the promise, in a few words: the same for all its violations
     * @param detail what happened
     */
    public Violation(String invariant, String detail) {
        super(invariant + ": " + detail);
        this.invariant = invariant;
    }

    Violation(String invariant, String detail, Throwable cause) {
        super(invariant + ": " + detail, cause);
        this.invariant = invariant;
    }

    public String invariant() {
        return invariant;
    }
}
