package tailrace.bench;

import io.airlift.compress.v3.deflate.DeflateNativeCompressor;
import io.airlift.compress.v3.zstd.ZstdNativeCompressor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A backlog compressed into objects, against what the codec does by itself on one processor, in memory. */
final class CompressBench {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int SAMPLE_BYTES = 256 << 20;

    private final Bed bed;
    private final Report report;
    private final long bytes;
    private final int rounds;

    CompressBench(Bed bed, Report report, long bytes, int rounds) {
        this.bed = bed;
        this.report = report;
        this.bytes = bytes;
        this.rounds = rounds;
    }

    /** The library's call. */
    private interface Compressor {
        int compress(MemorySegment in, MemorySegment out);
    }

    void run(String codec) throws IOException {
        Path source = bed.events("events", bytes);
        long size = Bed.size(source);
        int processors = Runtime.getRuntime().availableProcessors();
        var alone = new ArrayList<Double>();
        var bare = new ArrayList<Double>();
        var ratios = new ArrayList<Double>();
        var whole = new ArrayList<Double>();
        double peak = 0;
        for (int i = 0; i < rounds; i++) {
            double codecRate = codecRate(codec, Bed.files(source).getFirst(), 1);
            bare.add(codecRate(codec, Bed.files(source).getFirst(), processors) / codecRate);
            Child.Measured ours = bed.shipObjects(source, "--compress", codec, "--durability", "none")
                    .await();
            if (ours.exit() != 0) {
                throw new IOException(Files.readString(bed.path("output.txt"), StandardCharsets.UTF_8));
            }
            alone.add(codecRate / 1e6);
            ratios.add(size / ours.moveSeconds() / codecRate);
            whole.add(size / ours.seconds() / codecRate);
            peak = Math.max(peak, ours.peakMegabytes());
        }
        report.title("%d bytes in 1 file -> objects, %s; against the codec alone on 1 of %d processors"
                .formatted(size, codec, processors));
        report.line("the codec alone", "%.0f MB/s".formatted(Report.median(alone)));
        report.line("the codec alone on %d, of that".formatted(processors), "%.2f".formatted(Report.median(bare)));
        report.line("rate from start to exit, of the codec's alone", "%.2f".formatted(Report.median(whole)));
        report.atLeast("rate, first to last byte, of the codec's alone", Report.median(ratios), 0.9 * processors, "");
        report.atMost("peak memory", peak, 200, " MB");
    }

    /** Bytes a second, of threads that do nothing else. */
    private static double codecRate(String codec, Path file, int threads) throws IOException {
        try (Arena arena = Arena.ofShared();
                var channel = FileChannel.open(file, StandardOpenOption.READ);
                var pool = Executors.newFixedThreadPool(threads)) {
            long length = Math.min(channel.size(), SAMPLE_BYTES) / BLOCK_BYTES * BLOCK_BYTES;
            MemorySegment sample = arena.allocate(length);
            MemorySegment.copy(channel.map(FileChannel.MapMode.READ_ONLY, 0, length, arena), 0, sample, 0, length);
            long begun = System.nanoTime();
            var done = new ArrayList<Future<?>>();
            for (int i = 0; i < threads; i++) {
                done.add(pool.submit(() -> compress(codec, sample)));
            }
            for (Future<?> one : done) {
                one.get();
            }
            return threads * length * 1e9 / (System.nanoTime() - begun);
        } catch (InterruptedException | ExecutionException e) {
            throw new IOException(e);
        }
    }

    private static void compress(String codec, MemorySegment sample) {
        Compressor compressor =
                codec.equals("zstd") ? new ZstdNativeCompressor(3)::compress : new DeflateNativeCompressor(6)::compress;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(2L * BLOCK_BYTES);
            for (long at = 0; at < sample.byteSize(); at += BLOCK_BYTES) {
                if (compressor.compress(sample.asSlice(at, BLOCK_BYTES), out) <= 0) {
                    throw new IllegalStateException("nothing came out of " + codec);
                }
            }
        }
    }
}
