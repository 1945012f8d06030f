package tailrace.core.track;

/** Why bytes could not be delivered. */
public enum LossReason {
    /** The file was truncated before they were read, and no copy of them was found. */
    TRUNCATED,
    /** Other bytes were written in their place before they were read. */
    OVERWRITTEN,
    /** The file was deleted while it was not held open, because the descriptor limit was reached. */
    DELETED_UNOPENED,
    /** The file was deleted, or moved where it cannot be found, while the agent did not run. */
    DELETED_WHILE_STOPPED,
    /** The file was deleted and kept for delivery, until the budget for such files was reached. */
    PIN_RELEASED,
    /** The sink has rejected them for good: they are in the folder for dead letters. */
    DEAD_LETTER
}
