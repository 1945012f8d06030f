package tailrace.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.core.manifest.PendingRange;

/** An instance that is taken away: how much of what its link could carry is delivered, and is the rest known? */
final class DrainBench {
    private static final int DEADLINE_SECONDS = 10;
    private static final long LINK_BYTES_PER_SECOND = 100_000_000;
    private static final int PENDING_EXIT = 75;

    private final Bed bed;
    private final Report report;
    private final long bytes;
    private final int rounds;

    DrainBench(Bed bed, Report report, long bytes, int rounds) {
        this.bed = bed;
        this.report = report;
        this.bytes = bytes;
        this.rounds = rounds;
    }

    void run() throws IOException {
        Path source = bed.lines("lines-100", 100, bytes);
        long size = Bed.size(source);
        var shares = new ArrayList<Double>();
        var overtime = new ArrayList<Double>();
        long unknown = 0;
        double peak = 0;
        for (int i = 0; i < rounds; i++) {
            bed.prepare(source);
            try (var server = new NullS3(LINK_BYTES_PER_SECOND)) {
                Child child = start(server, source);
                while (server.firstNanos() == 0) {
                    LockSupport.parkNanos(1_000_000);
                }
                long toldNanos = System.nanoTime();
                int exit = child.stop();
                long endNanos = System.nanoTime();
                if (exit != PENDING_EXIT) {
                    throw new IOException(
                            "it ended with " + exit + ": " + Files.readString(bed.path("output.txt"), UTF_8));
                }
                double seconds = (endNanos - server.firstNanos()) / 1e9;
                shares.add(server.committedBytes() / (seconds * LINK_BYTES_PER_SECOND));
                overtime.add((endNanos - toldNanos) / 1e9 - DEADLINE_SECONDS);
                unknown = Math.max(unknown, size - server.committedBytes() - pending(server.manifests()));
                peak = Math.max(peak, child.peakMegabytes());
            }
        }
        report.title("%d bytes in 100 files, SIGTERM, %d s, S3 behind a link of %d MB/s"
                .formatted(size, DEADLINE_SECONDS, LINK_BYTES_PER_SECOND / 1_000_000));
        report.atLeast("delivered, of what the link could carry", Report.median(shares), 0.9, "");
        report.atMost("bytes that are neither there nor in a final manifest", (double) unknown, 0, "");
        report.line("seconds from the deadline to the exit", "%.2f".formatted(Report.median(overtime)));
        report.atMost("peak memory", peak, 200, " MB");
    }

    private Child start(NullS3 server, Path source) throws IOException {
        Path config = Files.writeString(
                bed.path("drain.yaml"), """
                    state: %s
                    host: bench
                    sources: {logs: {include: ['%s/*.log']}}
                    sinks: {s3: {type: s3, bucket: bucket, endpoint: '%s', access_key_id: me, secret_access_key: secret}}
                    routes: [{from: logs, to: s3}]
                    drain: {timeout: %ds}
                    """.formatted(bed.path("state"), source, server.url(), DEADLINE_SECONDS));
        return Child.startTailrace(bed.path("output.txt"), List.of("run", "--config", config.toString()));
    }

    /** Bytes of the final manifest that no other manifest has, by what it consists of. */
    private static long pending(Map<String, byte[]> manifests) {
        var delivered = new TreeMap<String, TreeMap<Long, Long>>();
        var announced = new ArrayList<PendingRange>();
        manifests.forEach((key, content) -> {
            for (String line : new String(content, UTF_8).split("\n")) {
                if (!line.startsWith("{")) {
                    continue; // the client's own lines between chunks
                }
                if (key.contains("/final/")) {
                    announced.add(ManifestCodec.pendingFromLine(line));
                } else {
                    for (ManifestEntry.Part part : ManifestCodec.fromLine(line).extents()) {
                        delivered
                                .computeIfAbsent(part.identity(), file -> new TreeMap<>())
                                .put(part.from(), part.to());
                    }
                }
            }
        });
        long left = 0;
        for (PendingRange range : announced) {
            ManifestEntry.Part part = range.part();
            left += part.to() - part.from();
            for (var there :
                    delivered.getOrDefault(part.identity(), new TreeMap<>()).entrySet()) {
                left -= Math.max(0, Math.min(part.to(), there.getValue()) - Math.max(part.from(), there.getKey()));
            }
        }
        return left;
    }
}
