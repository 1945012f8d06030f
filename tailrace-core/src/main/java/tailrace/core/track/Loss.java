package tailrace.core.track;

/** Bytes that are gone, for the ledger and the log. */
public record Loss(TrackedFile file, Route route, int epoch, Range range, LossReason reason) {}
