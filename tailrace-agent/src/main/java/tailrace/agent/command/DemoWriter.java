package tailrace.agent.command;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** The demo's service: writes ad clicks, numbered from 0, and rotates its file by renaming it every second. */
final class DemoWriter implements Runnable {
    private static final long BURST_NANOS = 10_000_000;
    private static final long ROTATE_NANOS = 1_000_000_000;
    private static final String FILE = "clicks.log";

    private final Path folder;
    private final long bytesPerSecond;
    private final AtomicLong lines = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean stopped;
    private volatile String failure = "";

    DemoWriter(Path folder, long bytesPerSecond) {
        this.folder = folder;
        this.bytesPerSecond = bytesPerSecond;
    }

    @Override
    public void run() {
        try {
            int rotation = 0;
            while (!stopped) {
                writeOneFile();
                Files.move(folder.resolve(FILE), folder.resolve(FILE + "." + ++rotation));
            }
        } catch (IOException e) {
            failure = e.toString();
        }
    }

    private void writeOneFile() throws IOException {
        long end = System.nanoTime() + ROTATE_NANOS;
        try (OutputStream out =
                Files.newOutputStream(folder.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (long next = System.nanoTime(); next < end && !stopped; next += BURST_NANOS) {
                byte[] burst = burst(bytesPerSecond * BURST_NANOS / 1_000_000_000);
                out.write(burst);
                bytes.addAndGet(burst.length);
                LockSupport.parkNanos(next + BURST_NANOS - System.nanoTime());
            }
        }
    }

    private byte[] burst(long length) {
        var burst = new ByteArrayOutputStream();
        long number = lines.get();
        while (burst.size() < length) {
            String line = "{\"click\":" + number + ",\"campaign\":\"c-" + number % 97 + "\",\"user\":\"u-"
                    + Long.toHexString(number * 0x9E3779B97F4A7C15L) + "\",\"page\":\"/offers/" + number % 1009
                    + "\",\"price\":0.000" + number % 90 + "}\n";
            burst.writeBytes(line.getBytes(US_ASCII));
            number++;
        }
        lines.set(number);
        return burst.toByteArray();
    }

    void stop() {
        stopped = true;
    }

    long lines() {
        return lines.get();
    }

    long bytes() {
        return bytes.get();
    }

    /** Why it could not go on; empty if it could. */
    String failure() {
        return failure;
    }
}
