package tailrace.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.watch.Framing.Prefix;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** Walks over records whose beginnings are known, in files drawn anew each time. */
class LengthWalkTest {
    private static final int BUFFER_BYTES = 16 * 1024;

    @TempDir
    Path folder;

    private final Kernel kernel = new LinuxKernel();
    private final NavigableSet<Long> real = new TreeSet<>();

    /** Writes records until the file has so many bytes; some are longer than the buffer. */
    private Fd write(SplittableRandom random, long bytes, int mostBytes) throws IOException {
        Path file = folder.resolve("file");
        try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            long at = 0;
            while (at < bytes) {
                real.add(at);
                int length = random.nextInt(50) == 0 ? random.nextInt(mostBytes) : random.nextInt(300);
                out.writeInt(length);
                out.write(new byte[length]);
                at += Integer.BYTES + length;
            }
            real.add(at);
        }
        return kernel.files()
                .open(Fd.CURRENT_DIRECTORY, LinuxPath.of(file.toString()), OpenHow.read())
                .orElseThrow();
    }

    private LengthWalk walk(Arena arena, NavigableSet<Long> known) {
        return new LengthWalk(kernel.files(), new AlignedBuffer(arena, BUFFER_BYTES), Prefix.U32_BE, known);
    }

    private void compare(Arena arena, Fd fd, NavigableSet<Long> known, long from, long to, String what)
            throws LinuxException {
        assertThat(walk(arena, known).lastStart(fd, to)).as(what).isEqualTo(real.floor(to));
        Long next = real.ceiling(from);
        long head = next == null ? to - from : Math.min(next, to) - from;
        assertThat(walk(arena, known).headBytes(fd, from, to)).as(what).isEqualTo(head);
    }

    @Test
    void startsAreFoundFromAnywhere() throws IOException {
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        Fd fd = write(random, 2_000_000, 100_000);
        try (Arena arena = Arena.ofConfined()) {
            var known = new TreeSet<Long>();
            for (int i = 0; i < 300; i++) {
                long to = 1 + random.nextLong(real.last());
                long from = random.nextLong(to);
                compare(arena, fd, known, from, to, "seed %d, [%d, %d)".formatted(seed, from, to));
            }
            assertThat(real).containsAll(known);
        }
        kernel.files().close(fd);
    }

    @Test
    void aLongWalkIsInterruptedAndGoesOn() throws IOException {
        Fd fd = write(new SplittableRandom(1), 150L << 20, 2000);
        try (Arena arena = Arena.ofConfined()) {
            var known = new TreeSet<Long>();
            long end = real.last();
            int asked = 1;
            while (walk(arena, known).lastStart(fd, end) == RecordEnds.UNKNOWN) {
                asked++;
            }
            assertThat(asked).isBetween(2, 5);
            assertThat(real).containsAll(known);
            assertThat(known).hasSizeBetween(5, 20);
            compare(arena, fd, known, end - 1, end, "at the end");
            assertThat(walk(arena, known).headBytes(fd, 1, end)).isEqualTo(real.higher(0L) - 1);
        }
        kernel.files().close(fd);
    }
}
