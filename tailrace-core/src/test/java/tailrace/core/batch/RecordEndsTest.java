package tailrace.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** The eight bytes at a time against a loop over all, in contents drawn anew each time. */
class RecordEndsTest {
    private static final int FILES = 300;
    private static final int RANGES = 50;
    private static final int MOST_BYTES = 40_000;

    @TempDir
    Path folder;

    private static long naive(byte[] content, int from, int to) {
        for (int i = to; i > from; i--) {
            if (content[i - 1] == '\n') {
                return i;
            }
        }
        return -1;
    }

    /** Bytes that a wrong comparison takes for newlines, and newlines as rare as the file is long, or as many as it has bytes. */
    private static byte[] content(SplittableRandom random) {
        byte[] content = new byte[random.nextInt(MOST_BYTES)];
        byte[] others = {0, 0x0B, 0x09, 0x1A, (byte) 0x8A, (byte) 0xFF, 'x', '\r'};
        int oneIn = 1 << random.nextInt(16);
        for (int i = 0; i < content.length; i++) {
            content[i] = random.nextInt(oneIn) == 0 ? (byte) '\n' : others[random.nextInt(others.length)];
        }
        return content;
    }

    @Test
    void theLastRecordEndsWhereALoopSaysSo() throws IOException {
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        Kernel kernel = new LinuxKernel();
        try (Arena arena = Arena.ofConfined()) {
            var ends =
                    new RecordEnds(kernel.files(), new AlignedBuffer(arena, 16 * 1024), Framing.LINES, Encoding.UTF_8);
            for (int i = 0; i < FILES; i++) {
                byte[] content = content(random);
                Path file = Files.write(folder.resolve("file"), content);
                Fd fd = kernel.files()
                        .open(Fd.CURRENT_DIRECTORY, LinuxPath.of(file.toString()), OpenHow.read())
                        .orElseThrow();
                for (int j = 0; j < RANGES; j++) {
                    int to = random.nextInt(content.length + 1);
                    int from = random.nextInt(to + 1);
                    assertThat(ends.last(fd, from, from, to, new TreeSet<>()))
                            .as("seed %d, file %d, [%d, %d)", seed, i, from, to)
                            .isEqualTo(naive(content, from, to));
                }
                kernel.files().close(fd);
            }
        }
    }
}
