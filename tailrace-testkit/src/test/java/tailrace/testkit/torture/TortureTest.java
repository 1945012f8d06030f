package tailrace.testkit.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Lives from a seed. What a failure prints is enough to play it again. */
class TortureTest {
    private static final long KNOWN_TO_HOLD = 30_000;

    private static String play(long from, long to) throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var torture = new Torture(from, to, 600, Runtime.getRuntime().availableProcessors());
        torture.run(new PrintStream(out, true, StandardCharsets.UTF_8));
        assertThat(torture.played()).isEqualTo(to - from + 1);
        return torture.violations().isEmpty() ? "" : out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void noPromiseIsBrokenInTheFirstThreeThousandLives() throws InterruptedException {
        assertThat(play(1, 3000)).isEmpty();
    }

    @Test
    void noPromiseIsBrokenInLivesDrawnAnew() throws InterruptedException {
        long from = ThreadLocalRandom.current().nextLong(3001, KNOWN_TO_HOLD - 1000);
        System.out.println("seeds " + from + ".." + (from + 999));
        assertThat(play(from, from + 999)).isEmpty();
    }

    @Test
    void theSameSeedIsTheSameLife() {
        for (long seed : new long[] {5, 17, 99}) {
            assertThat(trace(seed)).isEqualTo(trace(seed)).contains("the agent starts");
        }
    }

    private static String trace(long seed) {
        var out = new ByteArrayOutputStream();
        Life.play(ScriptWriter.of(seed), new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8).replaceAll("process \\d+", "process");
    }
}
