package tailrace.bench;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** The folder that a benchmark works in, and the files it works on. */
final class Bed {
    private static final String TEXT = "2026-11-21T07:45:12.345Z INFO ad-server click campaign=8f2a91 user=3b1c"
            + " referrer=https://example.org/offers/1093?page=7 agent=Mozilla/5.0 price=0.00042 bid=7731"
            + " slot=top-left end ";

    private static final List<String> KINDS = List.of("click", "view", "bid", "win", "conversion");
    private static final long REST_NANOS = 3_000_000_000L;

    private final Path folder;

    Bed(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    /** Lines of about 200 bytes in so many files of the same size; written once, and read, so that they are hot. */
    Path lines(String name, int files, long totalBytes) throws IOException {
        Path into = path(name);
        if (!Files.exists(into)) {
            Files.createDirectories(into);
            for (int i = 0; i < files; i++) {
                writeLines(into.resolve("app-%03d.log".formatted(i)), totalBytes / files);
            }
        }
        warm(into);
        return into;
    }

    private static void writeLines(Path file, long bytes) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
            long written = 0;
            for (int i = 0; written < bytes; i++) {
                byte[] line = (TEXT + "%010d\n".formatted(i)).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
                out.write(line);
                written += line.length;
            }
        }
    }

    /** One file of events whose fields differ as those of a service do: they compress to about a fourth. */
    Path events(String name, long bytes) throws IOException {
        Path into = path(name);
        if (!Files.exists(into)) {
            Files.createDirectories(into);
            var random = new SplittableRandom(42);
            try (OutputStream out =
                    new BufferedOutputStream(Files.newOutputStream(into.resolve("events.log")), 1 << 20)) {
                long written = 0;
                for (int i = 0; written < bytes; i++) {
                    String text =
                            "{\"at\":17952%09d,\"kind\":\"%s\",\"user\":\"%016x\",\"campaign\":%d,\"price\":0.%04d}\n"
                                    .formatted(
                                            i,
                                            KINDS.get(random.nextInt(KINDS.size())),
                                            random.nextLong(),
                                            random.nextInt(500),
                                            random.nextInt(9999));
                    byte[] line = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
                    out.write(line);
                    written += line.length;
                }
            }
        }
        warm(into);
        return into;
    }

    /** Reads everything, since a virtual machine may have lost part of its page cache meanwhile. */
    static void warm(Path into) throws IOException {
        byte[] buffer = new byte[1 << 20];
        try (var files = Files.newDirectoryStream(into)) {
            for (Path file : files) {
                try (var in = Files.newInputStream(file)) {
                    while (in.read(buffer) >= 0) {
                        // only to have it in the cache
                    }
                }
            }
        }
    }

    static long size(Path folder) throws IOException {
        long size = 0;
        for (Path file : files(folder)) {
            size += Files.size(file);
        }
        return size;
    }

    static List<Path> files(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (var all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    /**
     * The same start for whoever copies: what was written before is on the disk, the source is in the page cache, and
     * pages for the copy are at hand. The last is what decides: a virtual machine gives pages that rest free for two
     * seconds back to its host, and then the first to write them waits for the host, at up to three times the price. So
     * the output of the round before is deleted only now, after a rest in which nothing was freed.
     */
    void prepare(Path source) throws IOException {
        settle();
        warm(source);
        LockSupport.parkNanos(REST_NANOS);
        delete("copy");
        delete("out");
        delete("state");
    }

    /** Begins to ship a folder's logs into {@code out}, in objects, with neither output nor state of an earlier round. */
    Child shipObjects(Path source, String... more) throws IOException {
        prepare(source);
        var arguments = new ArrayList<>(List.of("ship", "--include", source + "/*.log", "--layout", "objects"));
        arguments.addAll(
                List.of("--to", "file:" + path("out"), "--state", path("state").toString()));
        arguments.addAll(List.of(more));
        return Child.startTailrace(path("output.txt"), arguments);
    }

    /** The objects that were delivered, without their manifests. */
    List<Path> objects() throws IOException {
        return files(path("out")).stream()
                .filter(file -> !file.toString().contains("_tailrace"))
                .toList();
    }

    long objectBytes() throws IOException {
        return objects().stream().mapToLong(file -> file.toFile().length()).sum();
    }

    void delete(String name) throws IOException {
        if (!Files.exists(path(name))) {
            return;
        }
        try (var all = Files.walk(path(name))) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Lets what earlier rounds wrote reach the disk, so that it does not slow the next one. */
    static void settle() throws IOException {
        try {
            new ProcessBuilder("sync").start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
