package tailrace.core;

import java.util.concurrent.Executor;

/** Threads for what may wait: carrying batches, committing the ledger. */
public interface Workers extends AutoCloseable {
    /**
     * An executor that runs at most {@code threads} tasks at a time. Its threads are platform threads: a native call
     * would pin a virtual one.
     *
     * @param name for the threads' names
     */
    Executor pool(String name, int threads);

    /** Lets running tasks end, drops those not begun. */
    @Override
    void close();
}
