package tailrace.core.manifest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import tailrace.linux.LinuxPath;

/**
 * Proves from the storage alone what it holds: that each object is there and as long as its manifest says
 * (deep: that its checksum is right), and that of each file and epoch no range is missing and none is there twice.
 */
public final class Audit {
    /**
     * What was found.
     *
     * @param problems each a sentence that names the object or the exact range; empty if all is proven
     * @param notes what is worth knowing and no fault
     * @param holdings what is there of each file and epoch
     */
    public record Result(
            int objects,
            int files,
            long bytes,
            long checkedBytes,
            List<String> problems,
            List<String> notes,
            List<Holding> holdings) {
        public Result {
            holdings = List.copyOf(holdings);
            problems = List.copyOf(problems);
            notes = List.copyOf(notes);
        }
    }

    /**
     * What the storage holds of one file in one epoch.
     *
     * @param file its name when its first bytes were sealed
     * @param from the first byte that is there: 0, or where a copy goes on from its original
     * @param to behind the last
     * @param whole whether every byte between is there once
     */
    public record Holding(
            String source, String file, String identity, int epoch, long from, long to, int extents, boolean whole) {}

    private record FileEpoch(String source, String identity, int epoch) {}

    private final Archive archive;
    private final boolean deep;
    private final List<String> problems = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private long checkedBytes;

    /** @param deep whether to read every byte and compare checksums */
    public Audit(Archive archive, boolean deep) {
        this.archive = archive;
        this.deep = deep;
    }

    /**
     * Reads manifests and objects.
     *
     * @throws IOException if the archive cannot be read
     */
    public Result run() throws IOException {
        Map<LinuxPath, TreeMap<Long, ManifestEntry>> byKey = byKey(readManifests());
        for (var key : byKey.entrySet()) {
            checkObject(key.getKey(), key.getValue());
        }
        Map<FileEpoch, List<ManifestEntry.Part>> byFile = byFile(byKey);
        var holdings = new ArrayList<Holding>();
        byFile.forEach((file, parts) -> holdings.add(checkRanges(file, parts, byFile)));
        checkFinals(byFile);
        holdings.sort(Comparator.comparing(Holding::file).thenComparingInt(Holding::epoch));
        long bytes = byKey.values().stream()
                .flatMap(entries -> entries.values().stream())
                .mapToLong(ManifestEntry::lengthBytes)
                .sum();
        return new Result(byKey.size(), byFile.size(), bytes, checkedBytes, problems, notes, holdings);
    }

    private List<ManifestEntry> readManifests() throws IOException {
        var perFile = new ArrayList<List<ManifestEntry>>();
        for (Archive.Manifest manifest : archive.manifests()) {
            var entries = new ArrayList<ManifestEntry>();
            manifest.lines().forEach(line -> parse(line, manifest.name(), entries));
            if (!entries.isEmpty()) {
                perFile.add(entries);
            }
        }
        // Within a file the order of lines counts; between files, which came first.
        perFile.sort(Comparator.comparing(entries -> entries.getFirst().sealedAt()));
        return perFile.stream().flatMap(List::stream).toList();
    }

    private void parse(String line, String name, List<ManifestEntry> entries) {
        if (line.isBlank()) {
            return;
        }
        try {
            entries.add(ManifestCodec.fromLine(line));
        } catch (IllegalArgumentException e) {
            notes.add("a line of " + name + " is torn, as after a crash");
        }
    }

    /** What counts of each key: a line that begins where others were voids those, since it overwrote them. */
    private static Map<LinuxPath, TreeMap<Long, ManifestEntry>> byKey(List<ManifestEntry> entries) {
        var byKey = new LinkedHashMap<LinuxPath, TreeMap<Long, ManifestEntry>>();
        for (ManifestEntry entry : entries) {
            TreeMap<Long, ManifestEntry> valid = byKey.computeIfAbsent(entry.key(), key -> new TreeMap<>());
            valid.tailMap(entry.position(), true).clear();
            valid.put(entry.position(), entry);
        }
        return byKey;
    }

    private void checkObject(LinuxPath key, TreeMap<Long, ManifestEntry> entries) throws IOException {
        if (entries.values().stream()
                .allMatch(entry -> entry.lengthBytes() == 0 && !entry.extents().isEmpty())) {
            return; // all that was to go there was filtered out
        }
        OptionalLong found = archive.lengthOf(key);
        if (found.isEmpty()) {
            problems.add("the object " + key + " is missing");
            return;
        }
        long expected = entries.firstKey();
        for (ManifestEntry entry : entries.values()) {
            if (entry.position() != expected) {
                problems.add("of the object " + key + ", bytes [" + expected + ", " + entry.position()
                        + ") are in no manifest");
            }
            expected = entry.position() + entry.lengthBytes();
        }
        long length = found.getAsLong();
        if (length < expected) {
            problems.add("the object " + key + " has " + length + " bytes and should have " + expected);
        } else if (length > expected) {
            notes.add("the object " + key + " has " + (length - expected)
                    + " bytes more than its manifest: being written, or left by a crash");
        }
        if (deep && length >= expected) {
            for (ManifestEntry entry : entries.values()) {
                checkSum(entry);
            }
        }
    }

    private void checkSum(ManifestEntry entry) throws IOException {
        if (entry.lengthBytes() == 0) {
            return; // only says that what was there before is cut off
        }
        if (entry.crc32c().isEmpty()) {
            notes.add("batch " + entry.batch() + " has no checksum (integrity: length)");
            return;
        }
        OptionalInt found = archive.crc32c(entry.key(), entry.position(), entry.lengthBytes());
        checkedBytes += entry.lengthBytes();
        if (!found.equals(entry.crc32c())) {
            problems.add("the checksum of batch " + entry.batch() + " in " + entry.key() + " is " + hex(found)
                    + " and should be " + hex(entry.crc32c()));
        }
    }

    private static String hex(OptionalInt crc32c) {
        return crc32c.isPresent() ? HexFormat.of().toHexDigits(crc32c.getAsInt()) : "none";
    }

    private static Map<FileEpoch, List<ManifestEntry.Part>> byFile(Map<LinuxPath, TreeMap<Long, ManifestEntry>> byKey) {
        var byFile = new HashMap<FileEpoch, List<ManifestEntry.Part>>();
        byKey.values().stream().flatMap(entries -> entries.values().stream()).forEach(entry -> {
            for (ManifestEntry.Part part : entry.extents()) {
                byFile.computeIfAbsent(
                                new FileEpoch(entry.source(), part.identity(), part.epoch()), f -> new ArrayList<>())
                        .add(part);
            }
        });
        byFile.values().forEach(parts -> parts.sort(Comparator.comparingLong(ManifestEntry.Part::from)));
        return byFile;
    }

    private Holding checkRanges(
            FileEpoch file, List<ManifestEntry.Part> parts, Map<FileEpoch, List<ManifestEntry.Part>> all) {
        int problemsBefore = problems.size();
        long expected = 0;
        for (ManifestEntry.Part part : parts) {
            if (part.from() > expected && !(expected == 0 && continuesAnother(file, part.from(), all))) {
                problems.add(range(part, file, expected, part.from()) + " is missing");
            } else if (part.from() < expected) {
                problems.add(range(part, file, part.from(), Math.min(expected, part.to())) + " is there twice");
            }
            expected = Math.max(expected, part.to());
        }
        ManifestEntry.Part first = parts.getFirst();
        return new Holding(
                file.source(),
                first.file().toString(),
                file.identity(),
                file.epoch(),
                first.from(),
                expected,
                parts.size(),
                problems.size() == problemsBefore);
    }

    private void checkFinals(Map<FileEpoch, List<ManifestEntry.Part>> byFile) throws IOException {
        List<PendingRange> undelivered = Undelivered.in(
                archive.finalManifests(),
                range -> byFile.getOrDefault(
                        new FileEpoch(
                                range.source(),
                                range.part().identity(),
                                range.part().epoch()),
                        List.of()),
                notes);
        for (PendingRange range : undelivered) {
            ManifestEntry.Part part = range.part();
            var file = new FileEpoch(range.source(), part.identity(), part.epoch());
            problems.add(range(part, file, part.from(), part.to()) + " was pending when " + range.host()
                    + " was told to stop (" + range.at() + "), and is missing");
        }
    }

    /** A copy that a copytruncate rotation made is delivered from where its original was left. */
    private static boolean continuesAnother(FileEpoch file, long from, Map<FileEpoch, List<ManifestEntry.Part>> all) {
        return all.entrySet().stream()
                .anyMatch(other -> !other.getKey().equals(file)
                        && other.getKey().source().equals(file.source())
                        && other.getValue().stream().anyMatch(part -> part.to() == from));
    }

    private static String range(ManifestEntry.Part part, FileEpoch file, long from, long to) {
        return "of " + part.file() + " (" + file.identity() + ", epoch " + file.epoch() + "), bytes [" + from + ", "
                + to + ")";
    }
}
