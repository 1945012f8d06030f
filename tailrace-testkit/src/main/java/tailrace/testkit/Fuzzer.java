package tailrace.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Feeds a reader with inputs that are nearly right: those of a corpus, with bytes changed, cut out, doubled and spliced. A
 * reader may refuse what it does not understand by the exception that it promises; anything else is a bug.
 */
public final class Fuzzer {
    private static final int MOST_CHANGES = 6;
    private static final int MOST_BYTES = 1 << 20;

    /** What reads; throws {@link Refused} when it refuses as it promises. */
    public interface Target {
        void read(byte[] input) throws Exception;
    }

    /** The input was refused in the way that was promised. */
    public static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        public Refused(Throwable cause) {
            super(cause);
        }
    }

    private final List<byte[]> corpus = new ArrayList<>();
    private final SplittableRandom random;
    private final long seed;

    /** @param folder of the corpus: one input a file */
    public Fuzzer(Path folder, long seed) throws IOException {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        try (var files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                corpus.add(Files.readAllBytes(file));
            }
        }
    }

    /**
     * Plays the corpus as it is, and then changes of it for a while.
     *
     * @return how many inputs were read
     * @throws AssertionError names the seed and the file that the offending input was written to
     */
    public long run(Target target, long seconds) throws IOException {
        long inputs = 0;
        for (byte[] input : corpus) {
            feed(target, input);
            inputs++;
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            feed(target, changed());
            inputs++;
        }
        return inputs;
    }

    private void feed(Target target, byte[] input) throws IOException {
        try {
            target.read(input);
        } catch (Refused e) {
            // as promised
        } catch (Exception | Error e) {
            Path file = Files.write(Files.createTempFile("fuzz-", ".input"), input);
            throw new AssertionError("seed " + seed + ": " + file + " (add it to the corpus when it is fixed)", e);
        }
    }

    /** An input of the corpus, changed in a few places. */
    public byte[] changed() {
        byte[] bytes = corpus.get(random.nextInt(corpus.size())).clone();
        for (int i = random.nextInt(MOST_CHANGES); i >= 0; i--) {
            bytes = change(bytes);
        }
        return bytes;
    }

    private byte[] change(byte[] bytes) {
        if (bytes.length == 0) {
            return new byte[] {(byte) random.nextInt()};
        }
        int at = random.nextInt(bytes.length);
        int length = 1 + random.nextInt(Math.min(16, bytes.length - at));
        return switch (random.nextInt(6)) {
            case 0 -> {
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                yield bytes;
            }
            case 1 -> {
                byte[] extremes = {0, 1, -1, 127, -128, '"', '{', ':', '\n'};
                bytes[at] = extremes[random.nextInt(extremes.length)];
                yield bytes;
            }
            case 2 -> joined(bytes, 0, at, bytes, at + length, bytes.length);
            case 3 -> bytes.length > MOST_BYTES ? bytes : joined(bytes, 0, at + length, bytes, at, bytes.length);
            case 4 -> java.util.Arrays.copyOf(bytes, at);
            default -> {
                byte[] other = corpus.get(random.nextInt(corpus.size()));
                yield joined(bytes, 0, at, other, Math.min(at, other.length), other.length);
            }
        };
    }

    private static byte[] joined(byte[] one, int from, int to, byte[] two, int from2, int to2) {
        byte[] all = new byte[to - from + to2 - from2];
        System.arraycopy(one, from, all, 0, to - from);
        System.arraycopy(two, from2, all, to - from, to2 - from2);
        return all;
    }
}
