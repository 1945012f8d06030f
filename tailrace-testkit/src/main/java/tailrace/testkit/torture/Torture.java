package tailrace.testkit.torture;

import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Plays many lives on a few threads. */
public final class Torture {
    private static final long PROGRESS_SECONDS = 2;
    private static final int EXPLAINED = 1;

    private static final int SEEDS_SHOWN = 50;

    private final long from;
    private final long to;
    private final long seconds;
    private final int threads;
    private final AtomicLong next;
    private final AtomicLong played = new AtomicLong();
    private final Map<Long, Violation> violations = new ConcurrentSkipListMap<>();

    public Torture(long from, long to, long seconds, int threads) {
        this.from = from;
        this.to = to;
        this.seconds = seconds;
        this.threads = threads;
        this.next = new AtomicLong(from);
    }

    /** Lives that broke a promise. */
    public Map<Long, Violation> violations() {
        return violations;
    }

    public long played() {
        return played.get();
    }

    /**
     * Plays all, with progress.
     *
     * @return the exit status
     */
    public int run(PrintStream out) throws InterruptedException {
        long start = System.nanoTime();
        long deadline = start + TimeUnit.SECONDS.toNanos(seconds);
        var workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = Thread.ofPlatform().name("life-", i).start(() -> work(deadline));
        }
        for (Thread worker : workers) {
            while (!worker.join(java.time.Duration.ofSeconds(PROGRESS_SECONDS))) {
                progress(out, start);
            }
        }
        progress(out, start);
        violations.entrySet().stream()
                .limit(EXPLAINED)
                .forEach(entry -> explain(ScriptWriter.of(entry.getKey()), entry.getValue(), out));
        if (violations.size() > EXPLAINED) {
            violations.values().stream()
                    .collect(Collectors.groupingBy(Violation::invariant, TreeMap::new, Collectors.counting()))
                    .forEach((invariant, count) -> out.println(count + " times: " + invariant));
            out.println(
                    "seeds " + violations.keySet().stream().limit(SEEDS_SHOWN).toList());
        }
        return violations.isEmpty() ? 0 : 1;
    }

    private void work(long deadline) {
        for (long seed = next.getAndIncrement();
                seed <= to && System.nanoTime() < deadline;
                seed = next.getAndIncrement()) {
            try {
                Optional<Violation> violation = Life.play(ScriptWriter.of(seed), null);
                if (violation.isPresent()) {
                    violations.put(seed, violation.get());
                }
            } catch (RuntimeException | Error e) { // a thread that ended here would leave its seeds out unseen
                violations.put(seed, new Violation("the torture itself holds", e.toString(), e));
            }
            played.incrementAndGet();
        }
    }

    private void progress(PrintStream out, long start) {
        double elapsed = (System.nanoTime() - start) / 1e9;
        out.printf(
                "%d of %d seeds, %.0f seeds/s, %d violations%n",
                played.get(), to - from + 1, played.get() / Math.max(elapsed, 1e-9), violations.size());
    }

    static Script explain(Script script, Violation violation, PrintStream out) {
        out.println();
        out.println("seed " + script.seed() + " breaks a promise: " + violation.getMessage());
        Script shortest = Shrinker.shrink(script, violation);
        out.println("in " + shortest.setup());
        out.println("the shortest script that breaks it, of " + script.steps().size() + " steps:");
        shortest.steps().forEach(step -> out.println("    " + step));
        Life.play(shortest, null).ifPresent(last -> out.println("  " + last.getMessage()));
        out.println("replay: tailrace torture --seed " + script.seed() + " --trace");
        return shortest;
    }
}
