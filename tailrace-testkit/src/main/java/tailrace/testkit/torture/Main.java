package tailrace.testkit.torture;

import java.io.PrintStream;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code tailrace torture}. */
public final class Main {
    private static final String HELP = """
        Usage: tailrace torture [--seeds FROM..TO | --seed N [--trace]] [--seconds N] [--threads N]
        Plays whole lives of the agent in a simulated machine: writers that rotate, cut, rewrite and delete, kill -9,
        power cuts, full disks, failing calls and sinks, in an order drawn from the seed; and checks after each that
        nothing was lost, doubled or garbled and that the books balance. The same seed is the same life.

          --seeds FROM..TO   which lives (1..10000)
          --seed N           one life; if it fails, the shortest script that fails the same way is printed
          --trace            with --seed: every step, call and event, of the shortest script if it fails
          --seconds N        stop after so long, and then say how far it came
          --threads N        lives at a time (as many as there are processors)

        Exit status: 0 every promise was kept, 1 one was broken, 2 wrong usage
        """;

    private Main() {}

    public static void main(String... arguments) throws InterruptedException {
        try {
            System.exit(run(arguments));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage() + "\n\n" + HELP);
            System.exit(2);
        }
    }

    private static int run(String... arguments) throws InterruptedException {
        long from = 1;
        long to = 10_000;
        boolean trace = false;
        boolean one = false;
        long seconds = Long.MAX_VALUE / 2_000_000_000L;
        int threads = Runtime.getRuntime().availableProcessors();
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "-h", "--help" -> {
                    System.out.print(HELP);
                    return 0;
                }
                case "--trace" -> trace = true;
                case "--seed" -> {
                    from = number(arguments, ++i);
                    to = from;
                    one = true;
                }
                case "--seeds" -> {
                    String[] range = value(arguments, ++i).split("\\.\\.", 2);
                    from = Long.parseLong(range[0]);
                    to = Long.parseLong(range[range.length - 1]);
                }
                case "--seconds" -> seconds = number(arguments, ++i);
                case "--threads" -> threads = (int) number(arguments, ++i);
                default -> throw new IllegalArgumentException("unknown option '" + arguments[i] + "'");
            }
        }
        return one ? playOne(from, trace ? System.out : null) : new Torture(from, to, seconds, threads).run(System.out);
    }

    private static String value(String[] arguments, int i) {
        if (i >= arguments.length) {
            throw new IllegalArgumentException(arguments[i - 1] + " needs a value");
        }
        return arguments[i];
    }

    private static long number(String[] arguments, int i) {
        return Long.parseLong(value(arguments, i));
    }

    private static int playOne(long seed, @Nullable PrintStream trace) {
        Script script = ScriptWriter.of(seed);
        Optional<Violation> violation = Life.play(script, null);
        if (violation.isPresent()) {
            Life.play(Torture.explain(script, violation.get(), System.out), trace);
            return 1;
        }
        Life.play(script, trace);
        System.out.println("seed " + seed + ": every promise was kept");
        return 0;
    }
}
