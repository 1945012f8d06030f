package tailrace.agent.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The end of the process on SIGTERM and SIGINT. The JVM answers a signal by running shutdown hooks: the hook asks the
 * engine to drain, waits until the command has come to its own end, and ends the process with the command's status
 * rather than with 143.
 */
final class Shutdown {
    private static final CountDownLatch ENDED = new CountDownLatch(1);
    private static final AtomicInteger STATUS = new AtomicInteger();

    private Shutdown() {}

    /** On a signal, does this; the command must then end by itself. */
    static void onSignal(Runnable drain) {
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("shutdown").unstarted(() -> {
                    if (ENDED.getCount() > 0) {
                        drain.run();
                        try {
                            ENDED.await();
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                    System.out.flush();
                    System.err.flush();
                    Runtime.getRuntime().halt(STATUS.get());
                }));
    }

    /** The command has ended. */
    static void exit(int status) {
        STATUS.set(status);
        ENDED.countDown();
        System.exit(status); // if a signal came first, this waits for the hook, which halts
    }
}
