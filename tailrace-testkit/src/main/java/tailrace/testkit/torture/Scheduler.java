package tailrace.testkit.torture;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import tailrace.core.Clock;
import tailrace.core.Workers;
import tailrace.linux.LinuxException;
import tailrace.testkit.simulation.Interference;

/**
 * Time, threads and faults of the agent's process. Whatever waits or could run at the same time is put in an order drawn
 * from the seed: tasks and the steps of the script run while the loop waits, and steps between any two calls, too.
 */
final class Scheduler implements Clock, Workers, Interference {
    private static final long MILLI_NANOS = 1_000_000L;
    private static final long CALL_NANOS = 2_000;
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** What the scheduler asks of the world around the agent. */
    interface Director {
        /** Plays the next step of the script; false if there is none left. */
        boolean step();

        /** The loop waits, so everything it holds is consistent. */
        void atRest();
    }

    private record Pool(int threads, Deque<Runnable> tasks) {}

    private static final class Fault {
        final Step.Fail what;
        int left;

        Fault(Step.Fail what) {
            this.what = what;
            this.left = what.times();
        }
    }

    private final SplittableRandom random;
    private final Director director;
    private final Trace trace;
    private final List<Pool> pools = new ArrayList<>();
    private final List<Fault> faults = new ArrayList<>();
    private long nanos = 1;
    private long wallJumpSeconds;
    private long calls;
    private long crashAt = Long.MAX_VALUE;
    private boolean dead;
    private boolean playing;
    private boolean calm;

    Scheduler(long seed, Director director, Trace trace) {
        this.random = new SplittableRandom(seed);
        this.director = director;
        this.trace = trace;
    }

    @Override
    public Instant now() {
        return START.plusNanos(nanos).plusSeconds(wallJumpSeconds);
    }

    @Override
    public long nanos() {
        return nanos;
    }

    long calls() {
        return calls;
    }

    void pass(long millis) {
        nanos += millis * MILLI_NANOS;
    }

    void jumpClock(long seconds) {
        wallJumpSeconds += seconds;
    }

    int choose(int bound) {
        return random.nextInt(bound);
    }

    /** The process dies before its call that many calls from now. */
    void crashAfter(int moreCalls) {
        crashAt = Math.min(crashAt, calls + 1 + moreCalls);
    }

    void fail(Step.Fail fault) {
        faults.add(new Fault(fault));
    }

    /** From now on nothing goes wrong any more. */
    void calmDown() {
        calm = true;
        crashAt = Long.MAX_VALUE;
        faults.clear();
    }

    /** A new process begins. */
    void restart() {
        dead = false;
        crashAt = Long.MAX_VALUE;
        pools.clear();
    }

    @Override
    public Executor pool(String name, int threads) {
        var pool = new Pool(threads, new ArrayDeque<>());
        pools.add(pool);
        return pool.tasks::add;
    }

    @Override
    public void close() {
        pools.clear();
    }

    @Override
    public void before(String call, String subject) throws LinuxException {
        if (dead) {
            throw new Crash();
        }
        calls++;
        nanos += CALL_NANOS;
        if (calls >= crashAt) {
            trace.note(this, () -> "dies before " + call + " " + subject);
            dead = true;
            throw new Crash();
        }
        if (calm) {
            trace.call(this, call, subject, "");
            return;
        }
        if (!playing && random.nextInt(40) == 0) {
            play();
            if (random.nextInt(10) == 0) {
                pass(random.nextInt(400)); // a slow call
            }
        }
        for (Fault fault : faults) {
            if (fault.left > 0 && fault.what.call().equals(call) && subject.contains(fault.what.where())) {
                fault.left--;
                trace.call(this, call, subject, fault.what.errno().toString());
                throw new LinuxException(call, fault.what.errno(), subject);
            }
        }
        trace.call(this, call, subject, "");
    }

    private boolean play() {
        playing = true;
        try {
            return director.step();
        } finally {
            playing = false;
        }
    }

    @Override
    public int shorten(String call, int bytes) {
        return calm || bytes <= 1 || random.nextInt(12) > 0 ? bytes : 1 + random.nextInt(bytes);
    }

    @Override
    public void await(int timeoutMillis, BooleanSupplier ready) {
        if (dead) {
            throw new Crash();
        }
        director.atRest();
        trace.note(this, () -> "      waits at most " + timeoutMillis + " ms");
        long until = timeoutMillis < 0 ? Long.MAX_VALUE : nanos + timeoutMillis * MILLI_NANOS;
        while (!ready.getAsBoolean() || random.nextInt(6) == 0) {
            boolean anything = (random.nextInt(3) == 0 && play()) || runTask() || play();
            if (dead) {
                throw new Crash();
            }
            if (!anything) {
                if (ready.getAsBoolean()) {
                    return;
                }
                nanos = Math.max(nanos, until); // nothing else will happen
            }
            if (nanos >= until) {
                return;
            }
        }
    }

    private boolean runTask() {
        var waiting = new ArrayList<Pool>();
        for (Pool pool : pools) {
            if (!pool.tasks.isEmpty()) {
                waiting.add(pool);
            }
        }
        if (waiting.isEmpty()) {
            return false;
        }
        Pool pool = waiting.get(random.nextInt(waiting.size()));
        int overtaken = random.nextInt(Math.min(pool.threads, pool.tasks.size()));
        var before = new ArrayList<Runnable>();
        for (int i = 0; i < overtaken; i++) {
            before.add(pool.tasks.removeFirst());
        }
        Runnable task = pool.tasks.removeFirst();
        for (Runnable earlier : before.reversed()) {
            pool.tasks.addFirst(earlier);
        }
        task.run();
        return true;
    }

    boolean isDead() {
        return dead;
    }

    /** Whether the script acts, and not the agent. */
    boolean isPlaying() {
        return playing;
    }

    void die() {
        dead = true;
    }

    /** Whether a fault was injected there; for telling a fault from a bug. */
    boolean wasInjected(String where) {
        return faults.stream().anyMatch(fault -> fault.what.where().equals(where) && fault.left < fault.what.times());
    }
}
