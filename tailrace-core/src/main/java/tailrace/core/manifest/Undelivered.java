package tailrace.core.manifest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What final manifests say was pending, and no manifest says was delivered after that. */
final class Undelivered {
    private Undelivered() {}

    /** The delivered parts of the file that a range is of, sorted. */
    interface Delivered {
        List<ManifestEntry.Part> partsOf(PendingRange range);
    }

    /** Pieces of what was pending, each once, of the latest final manifest that names it. */
    static List<PendingRange> in(List<Archive.Manifest> finals, Delivered delivered, List<String> notes) {
        var announced = new ArrayList<PendingRange>();
        for (Archive.Manifest manifest : finals) {
            manifest.lines().forEach(line -> parse(line, manifest.name(), announced, notes));
        }
        announced.sort(Comparator.comparing(PendingRange::at).reversed());
        var left = new ArrayList<PendingRange>();
        for (PendingRange range : announced) {
            var covered = new ArrayList<>(delivered.partsOf(range));
            left.stream().filter(other -> isOfSameFile(range, other)).forEach(other -> covered.add(other.part()));
            left.addAll(without(range, covered));
        }
        return left;
    }

    private static void parse(String line, String name, List<PendingRange> announced, List<String> notes) {
        if (line.isBlank()) {
            return;
        }
        try {
            announced.add(ManifestCodec.pendingFromLine(line));
        } catch (IllegalArgumentException e) {
            notes.add("a line of " + name + " is torn, as after a crash");
        }
    }

    private static boolean isOfSameFile(PendingRange one, PendingRange other) {
        return one.source().equals(other.source())
                && one.part().identity().equals(other.part().identity())
                && one.part().epoch() == other.part().epoch();
    }

    private static List<PendingRange> without(PendingRange range, List<ManifestEntry.Part> covered) {
        covered.sort(Comparator.comparingLong(ManifestEntry.Part::from));
        var left = new ArrayList<PendingRange>();
        long at = range.part().from();
        long end = range.part().to();
        for (ManifestEntry.Part part : covered) {
            if (part.from() > at && at < end) {
                left.add(piece(range, at, Math.min(part.from(), end)));
            }
            at = Math.max(at, part.to());
        }
        if (at < end) {
            left.add(piece(range, at, end));
        }
        return left;
    }

    private static PendingRange piece(PendingRange range, long from, long to) {
        ManifestEntry.Part of = range.part();
        return new PendingRange(
                range.host(),
                range.source(),
                range.at(),
                new ManifestEntry.Part(of.file(), of.identity(), of.epoch(), from, to));
    }
}
