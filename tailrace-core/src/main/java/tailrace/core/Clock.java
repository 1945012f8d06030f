package tailrace.core;

import java.time.Instant;

/** The time. */
public interface Clock {
    /** The wall clock: for names and for people, never for measuring, since it can jump. */
    Instant now();

    /** Nanoseconds since some moment; never goes back. */
    long nanos();

    /** The clock of this machine. */
    Clock SYSTEM = new Clock() {
        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public long nanos() {
            return System.nanoTime();
        }
    };
}
