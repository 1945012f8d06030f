package tailrace.agent.console;

import static tailrace.agent.config.Units.sizeText;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tailrace.core.engine.Engine;
import tailrace.core.engine.Status;
import tailrace.core.track.Books;

/** Shows how far an engine has come: a changing line on a terminal, elsewhere a line now and then. */
public final class ProgressView implements AutoCloseable {
    private static final long REFRESH_MILLIS = 200;
    private static final long LINE_MILLIS = 5_000;
    private static final int BAR_CHARACTERS = 24;
    private static final double RATE_MEMORY_SECONDS = 1;

    private final Engine engine;
    private final Screen screen;
    private final boolean endless;
    private final Thread thread;
    private volatile boolean closed;
    private long lastDelivered;
    private long lastNanos = System.nanoTime();
    private double bytesPerSecond;

    /** @param endless whether the work never ends, so that there is no bar and no time left to show */
    public ProgressView(Engine engine, Screen screen, boolean endless) {
        this.engine = engine;
        this.screen = screen;
        this.endless = endless;
        this.thread = Thread.ofPlatform().name("progress").daemon().start(this::run);
    }

    private void run() {
        long nextLineMillis = LINE_MILLIS / 2;
        long waited = 0;
        try {
            while (!closed) {
                Thread.sleep(REFRESH_MILLIS);
                waited += REFRESH_MILLIS;
                if (screen.isTerminal()) {
                    screen.live(line(engine.status().get(1, TimeUnit.SECONDS)));
                } else if (waited >= nextLineMillis) {
                    nextLineMillis += LINE_MILLIS;
                    screen.print(line(engine.status().get(1, TimeUnit.SECONDS)));
                }
            }
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            // the engine has come to its end, which others tell
        }
    }

    private String line(Status status) {
        Books books = status.books();
        long now = System.nanoTime();
        double seconds = Math.max(1, now - lastNanos) / 1e9;
        double memory = bytesPerSecond == 0 ? 0 : Math.exp(-seconds / RATE_MEMORY_SECONDS);
        bytesPerSecond = memory * bytesPerSecond + (1 - memory) * (books.delivered() - lastDelivered) / seconds;
        lastDelivered = books.delivered();
        lastNanos = now;
        String text = "%s delivered, %s pending, %s/s, %d files"
                .formatted(
                        sizeText(books.delivered()),
                        sizeText(books.pending()),
                        sizeText((long) bytesPerSecond),
                        status.files());
        if (books.lost() > 0) {
            text += ", LOST " + sizeText(books.lost());
        }
        return endless ? text : bar(books) + " " + text + timeLeft(books);
    }

    private static String bar(Books books) {
        long whole = books.delivered() + books.pending();
        int full = whole == 0 ? 0 : (int) (BAR_CHARACTERS * books.delivered() / whole);
        return "[" + "#".repeat(full) + "-".repeat(BAR_CHARACTERS - full) + "]";
    }

    private String timeLeft(Books books) {
        if (books.pending() == 0 || bytesPerSecond < 1) {
            return "";
        }
        long seconds = (long) (books.pending() / bytesPerSecond);
        return ", %d:%02d left".formatted(seconds / 60, seconds % 60);
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(1_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        screen.live("");
    }
}
