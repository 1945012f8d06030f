package tailrace.core.track;

import java.time.Duration;
import tailrace.linux.LinuxPath;

/**
 * Which files get a second name, so that deleting them loses nothing, and how much disk they may hold then.
 *
 * @param after how long a file is left alone first: logrotate refuses to compress what has two names, and does it at once
 * @param folder where the names are made; only files of the same filesystem can be pinned
 * @param budgetBytes deleted files that are kept for delivery hold at most this much,
 * @param percentOfFree and at most this share of what would be free without them
 */
public record PinSettings(Mode mode, Duration after, LinuxPath folder, long budgetBytes, int percentOfFree) {
    /** When a file is pinned. */
    public enum Mode {
        /** When it has bytes to deliver and has lost the name it was first seen under. */
        ROTATED,
        /** Also when nobody has it open for writing: for folders that files are put into and removed from. */
        ALWAYS,
        OFF
    }

    public PinSettings {
        if (budgetBytes < 0 || percentOfFree < 0 || percentOfFree > 100) {
            throw new IllegalArgumentException("a budget of " + budgetBytes + " bytes, " + percentOfFree + " %");
        }
    }
}
