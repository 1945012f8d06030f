package tailrace.core;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts events and writes them down. An event about the same subject is written the first time, and then at each
 * power of two with its count, so that a fault that repeats does not drown the rest. Safe for use by many threads.
 */
public final class EventLog {
    /** Subjects remembered for counting repetitions; beyond it they are forgotten and may be written again. */
    private static final int MAX_SUBJECTS = 10_000;

    /** Where lines go. */
    public interface Writer {
        void write(Event event, String line);
    }

    private record Subject(Event event, String name) {}

    private final Writer writer;
    private final Map<Event, LongAdder> counts = new EnumMap<>(Event.class);
    private final Map<Subject, AtomicLong> repetitions = new ConcurrentHashMap<>();

    public EventLog(Writer writer) {
        this.writer = writer;
        for (Event event : Event.values()) {
            counts.put(event, new LongAdder()); // never changed again, so it can be read without a lock
        }
    }

    /**
     * Something happened.
     *
     * @param subject what it happened to; repetitions are counted per subject
     * @param detail the rest of the line: why, and what a person can do
     */
    public void report(Event event, Object subject, String detail) {
        counter(event).increment();
        String name = subject.toString();
        long count = 1;
        if (event.level().compareTo(Event.Level.WARN) >= 0) {
            if (repetitions.size() > MAX_SUBJECTS) {
                repetitions.clear();
            }
            count = repetitions
                    .computeIfAbsent(new Subject(event, name), s -> new AtomicLong())
                    .incrementAndGet();
        }
        if (Long.bitCount(count) == 1) {
            String times = count == 1 ? "" : " (" + count + " times)";
            writer.write(event, name + (detail.isEmpty() ? "" : ": " + detail) + times);
        }
    }

    private LongAdder counter(Event event) {
        return Objects.requireNonNull(counts.get(event));
    }

    /** How often the event happened since the start. */
    public long count(Event event) {
        return counter(event).sum();
    }
}
