package tailrace.core;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Workers that are threads of the operating system. */
public final class PlatformWorkers implements Workers {
    private static final long STOP_SECONDS = 5;

    private final List<ExecutorService> pools = new ArrayList<>();

    @Override
    public synchronized Executor pool(String name, int threads) {
        ExecutorService pool = Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().name(name + "-", 1).daemon().factory());
        pools.add(pool);
        return pool;
    }

    @Override
    public synchronized void close() {
        pools.forEach(ExecutorService::shutdownNow);
        try {
            for (ExecutorService pool : pools) {
                if (!pool.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
                    return; // daemon threads: a call that hangs in the kernel must not keep the process
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
