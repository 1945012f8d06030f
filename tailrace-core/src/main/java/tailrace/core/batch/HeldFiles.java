package tailrace.core.batch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import tailrace.core.track.TrackedFile;

/** Files whose next bytes must wait for something that nobody tells, and when to look at them again. */
final class HeldFiles {
    private final Map<TrackedFile, Long> untilNanos = new LinkedHashMap<>();

    void hold(TrackedFile file, long nanos) {
        untilNanos.put(file, nanos);
    }

    /** What these wait for has happened. */
    void release(Predicate<TrackedFile> which) {
        untilNanos.replaceAll((file, nanos) -> which.test(file) ? Long.MIN_VALUE : nanos);
    }

    void forget(TrackedFile file) {
        untilNanos.remove(file);
    }

    boolean contains(TrackedFile file) {
        return untilNanos.containsKey(file);
    }

    /** Those to look at now, which are held no longer. */
    List<TrackedFile> take(long nowNanos) {
        List<TrackedFile> due = untilNanos.entrySet().stream()
                .filter(entry -> entry.getValue() <= nowNanos)
                .map(Map.Entry::getKey)
                .toList();
        due.forEach(untilNanos::remove);
        return due;
    }

    boolean isEmpty() {
        return untilNanos.isEmpty();
    }

    /** When the first is to be looked at again. */
    long nextNanos() {
        return untilNanos.values().stream().mapToLong(nanos -> nanos).min().orElse(Long.MAX_VALUE);
    }
}
