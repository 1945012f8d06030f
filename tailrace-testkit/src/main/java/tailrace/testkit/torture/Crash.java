package tailrace.testkit.torture;

/** The process that makes this call is no more. */
final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash() {
        super("killed", null, false, false);
    }
}
