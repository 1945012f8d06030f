package tailrace.core.batch;

/**
 * Names a batch for ever. It holds the ledger's random id, so that a lost ledger makes duplicates and never a silent
 * "already there"; ids of one ledger sort in the order of sealing.
 *
 * @param ledger eight hexadecimal digits
 * @param run counts the starts of the agent
 * @param sequence counts the batches of the run
 */
public record BatchId(String ledger, int run, long sequence) {
    @Override
    public String toString() {
        return "%s-%05d-%09d".formatted(ledger, run, sequence);
    }
}
