package tailrace.core.deliver;

/**
 * How much a route may send, on the average. A batch may begin when those before it are paid for, so a batch that is larger
 * than what a second allows is waited for behind it.
 *
 * @param bytesPerSecond as they are in the files; 0 if they are not limited
 * @param batchesPerSecond attempts to deliver a batch; 0 if they are not limited
 */
public record RateLimit(long bytesPerSecond, int batchesPerSecond) {
    public static final RateLimit NONE = new RateLimit(0, 0);

    private static final double SECOND_NANOS = 1e9;

    public RateLimit {
        if (bytesPerSecond < 0 || batchesPerSecond < 0) {
            throw new IllegalArgumentException("a limit is at least 1 a second");
        }
    }

    /** For how long nothing may follow a batch that begins now. */
    long nanosAfter(long lengthBytes) {
        double forBytes = bytesPerSecond == 0 ? 0 : lengthBytes * SECOND_NANOS / bytesPerSecond;
        double forBatch = batchesPerSecond == 0 ? 0 : SECOND_NANOS / batchesPerSecond;
        return (long) Math.max(forBytes, forBatch);
    }
}
