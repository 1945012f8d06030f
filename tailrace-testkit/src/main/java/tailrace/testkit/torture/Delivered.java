package tailrace.testkit.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.linux.LinuxPath;
import tailrace.testkit.simulation.SimulatedMachine;

/** What arrived at one sink, put together again as files; anything that does not fit is a violation. */
final class Delivered {
    private record FileEpoch(String identity, int epoch) {}

    private final String route;
    private final Map<FileEpoch, TreeMap<Long, byte[]>> files = new LinkedHashMap<>();
    private final Map<Integer, Integer> counts = new HashMap<>();

    /** Beginnings and ends of lines whose other half arrived elsewhere, or never. */
    private final Map<Integer, Set<Integer>> heads = new HashMap<>();

    private final Set<String> tails = new HashSet<>();
    private final Set<String> middles = new HashSet<>();

    /** Beginnings too short to say of which line. */
    private final Set<String> tinyHeads = new HashSet<>();

    private long bytes;

    private Delivered(String route) {
        this.route = route;
    }

    static Delivered toRemote(RemoteStore store) {
        var delivered = new Delivered("remote");
        store.objects().forEach((key, stored) -> {
            int at = 0;
            for (var extent : stored.extents()) {
                int end = at + (int) extent.lengthBytes();
                delivered.add(
                        extent.identity().toString(),
                        extent.epoch(),
                        extent.from(),
                        Arrays.copyOfRange(stored.bytes(), at, end));
                at = end;
            }
        });
        delivered.parse();
        return delivered;
    }

    /** Reads what a file sink has written, by its manifests. */
    static Delivered toFolder(SimulatedMachine machine, String folder) {
        var delivered = new Delivered(folder);
        var byKey = new LinkedHashMap<LinuxPath, TreeMap<Long, ManifestEntry>>();
        for (String manifest : machine.filesBelow(folder + "/_tailrace/manifests")) {
            byte[] content = machine.content(manifest);
            for (String line : new String(content == null ? new byte[0] : content, UTF_8).split("\n")) {
                try {
                    ManifestEntry entry = ManifestCodec.fromLine(line);
                    var entries = byKey.computeIfAbsent(entry.key(), key -> new TreeMap<>());
                    entries.tailMap(entry.position(), true).clear();
                    entries.put(entry.position(), entry);
                } catch (IllegalArgumentException e) {
                    // torn by a crash: whatever counts has a whole line of its own
                }
            }
        }
        byKey.forEach((key, entries) -> delivered.addObject(machine, folder, key, entries));
        delivered.parse();
        return delivered;
    }

    private void addObject(
            SimulatedMachine machine, String folder, LinuxPath key, TreeMap<Long, ManifestEntry> entries) {
        byte[] content = machine.content(folder + "/" + key);
        if (content == null) {
            throw new Violation("what the manifest names is there", key + " is missing");
        }
        long end = 0;
        var ends = new HashMap<FileEpoch, Long>();
        for (ManifestEntry entry : entries.values()) {
            if (entry.position() != end || entry.position() + entry.lengthBytes() > content.length) {
                throw new Violation(
                        "manifests say where every byte is",
                        "%s has %d bytes, and a batch at [%d, %d) after %d"
                                .formatted(
                                        key,
                                        content.length,
                                        entry.position(),
                                        entry.position() + entry.lengthBytes(),
                                        end));
            }
            end = entry.position() + entry.lengthBytes();
            checkSum(entry, content);
            int at = (int) entry.position();
            for (ManifestEntry.Part part : entry.extents()) {
                int to = at + (int) (part.to() - part.from());
                Long before = ends.put(new FileEpoch(part.identity(), part.epoch()), part.to());
                if (before != null && before > part.from()) {
                    throw new Violation("the order within a file is kept", key + ": " + part + " after " + before);
                }
                add(part.identity(), part.epoch(), part.from(), Arrays.copyOfRange(content, at, to));
                at = to;
            }
        }
    }

    private static void checkSum(ManifestEntry entry, byte[] content) {
        if (entry.crc32c().isPresent()) {
            var crc = new CRC32C();
            crc.update(content, (int) entry.position(), (int) entry.lengthBytes());
            if ((int) crc.getValue() != entry.crc32c().getAsInt()) {
                throw new Violation("checksums are right", entry.key() + " at " + entry.position());
            }
        }
    }

    private void add(String identity, int epoch, long from, byte[] piece) {
        var pieces = files.computeIfAbsent(new FileEpoch(identity, epoch), f -> new TreeMap<>());
        var before = pieces.floorEntry(from);
        var after = pieces.ceilingEntry(from);
        if ((before != null && before.getKey() + before.getValue().length > from)
                || (after != null && from + piece.length > after.getKey())) {
            throw new Violation(
                    "nothing is delivered twice",
                    "[%d, %d) of %s epoch %d at %s".formatted(from, from + piece.length, identity, epoch, route));
        }
        pieces.put(from, piece);
        bytes += piece.length;
    }

    private void parse() {
        for (var file : files.entrySet()) {
            long end = -1;
            var run = new ArrayList<byte[]>();
            boolean fromStart = false;
            for (var piece : file.getValue().entrySet()) {
                if (piece.getKey() != end) {
                    parseRun(run, fromStart, file.getKey());
                    run.clear();
                    fromStart = piece.getKey() == 0;
                }
                run.add(piece.getValue());
                end = piece.getKey() + piece.getValue().length;
            }
            parseRun(run, fromStart, file.getKey());
        }
    }

    private void parseRun(List<byte[]> pieces, boolean fromStart, FileEpoch file) {
        int length = pieces.stream().mapToInt(piece -> piece.length).sum();
        byte[] run = new byte[length];
        int filled = 0;
        for (byte[] piece : pieces) {
            System.arraycopy(piece, 0, run, filled, piece.length);
            filled += piece.length;
        }
        int at = 0;
        while (at < run.length) {
            int end = at;
            while (end < run.length && run[end] != '\n') {
                end++;
            }
            boolean whole = end < run.length;
            byte[] segment = Arrays.copyOfRange(run, at, whole ? end + 1 : end);
            int id = Lines.idAt(segment, 0);
            if (whole && id >= 0 && Arrays.equals(segment, Lines.of(id))) {
                counts.merge(id, 1, Integer::sum);
            } else if (at == 0 && whole && !fromStart) {
                tails.add(new String(segment, UTF_8));
            } else if (!whole && id >= 0 && isHead(segment, id)) {
                heads.computeIfAbsent(id, i -> new HashSet<>()).add(segment.length);
            } else if (at == 0 && !whole && !fromStart && segment.length < Lines.MAX_BYTES) {
                middles.add(new String(segment, UTF_8)); // its line was cut at both ends
            } else if (!whole && id < 0 && segment.length < Lines.ID_END) {
                tinyHeads.add(new String(segment, UTF_8));
            } else {
                throw new Violation(
                        "nothing is garbled",
                        "byte %d of a run of %s at %s: '%s'".formatted(at, file, route, new String(segment, UTF_8)));
            }
            at += segment.length;
        }
    }

    private static boolean isHead(byte[] segment, int id) {
        return Arrays.equals(segment, Arrays.copyOf(Lines.of(id), segment.length));
    }

    long bytes() {
        return bytes;
    }

    /** How often a line is there. */
    int count(int id) {
        int whole = counts.getOrDefault(id, 0);
        return whole > 0 ? whole : isThereInHalves(id) ? 1 : 0;
    }

    /** A line may have been cut when its file began anew, and its rest be in the copy. */
    private boolean isThereInHalves(int id) {
        String line = new String(Lines.of(id), UTF_8);
        var cuts = new ArrayList<Integer>(heads.getOrDefault(id, Set.of()));
        for (int length = 1; length < Lines.ID_END; length++) {
            if (tinyHeads.contains(line.substring(0, length))) {
                cuts.add(length);
            }
        }
        return cuts.stream().map(line::substring).anyMatch(this::isRestThere);
    }

    /** Whether the rest of a line that was cut is there, perhaps in several pieces. */
    private boolean isRestThere(String rest) {
        return tails.contains(rest)
                || middles.stream()
                        .anyMatch(middle -> rest.startsWith(middle) && isRestThere(rest.substring(middle.length())));
    }
}
