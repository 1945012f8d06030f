package tailrace.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Counts what became of numbered lines. */
public final class LineChecker {
    private static final int MAX_GARBLED_SHOWN = 200;

    /** What was found; all is well if the last three are 0. */
    public record Tally(long written, long found, long lost, long duplicated, long garbled) {
        public boolean isClean() {
            return lost == 0 && duplicated == 0 && garbled == 0;
        }
    }

    private final Map<String, BitSet> seen = new HashMap<>();
    private long found;
    private long duplicated;
    private long garbled;
    private String firstGarbled = "";

    /** Reads every file below a folder, except tailrace's own. */
    public LineChecker readFolder(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return this;
        }
        try (var files = Files.walk(folder)) {
            List<Path> objects = files.filter(Files::isRegularFile)
                    .filter(file -> !folder.relativize(file).startsWith("_tailrace"))
                    .sorted()
                    .toList();
            for (Path object : objects) {
                try (InputStream in = new BufferedInputStream(Files.newInputStream(object), 1 << 16)) {
                    read(in);
                }
            }
        }
        return this;
    }

    /** Reads lines to the end; one without a newline counts as it is. */
    public void read(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                accept(line.toByteArray());
                line.reset();
            } else {
                line.write(b);
            }
        }
        if (line.size() > 0) {
            accept(line.toByteArray());
        }
    }

    /** One line, without its newline. A torn one may be followed directly by a whole one, which is found, too. */
    public void accept(byte[] bytes) {
        NumberedLine.parse(bytes).or(() -> afterTorn(bytes)).ifPresent(this::found);
    }

    private Optional<NumberedLine> afterTorn(byte[] bytes) {
        garbled++;
        if (firstGarbled.isEmpty()) {
            String text = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
            firstGarbled = text.substring(0, Math.min(text.length(), MAX_GARBLED_SHOWN));
        }
        return IntStream.range(1, bytes.length)
                .mapToObj(from -> NumberedLine.parse(Arrays.copyOfRange(bytes, from, bytes.length)))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private void found(NumberedLine line) {
        found++;
        BitSet numbers = seen.computeIfAbsent(line.writer(), writer -> new BitSet());
        int number = Math.toIntExact(line.number());
        if (numbers.get(number)) {
            duplicated++;
        }
        numbers.set(number);
    }

    /**
     * Compares with what was written.
     *
     * @param written lines by writer
     */
    public Tally tally(Map<String, Long> written) {
        long lost = 0;
        long total = 0;
        for (var entry : written.entrySet()) {
            total += entry.getValue();
            lost += entry.getValue()
                    - seen.getOrDefault(entry.getKey(), new BitSet()).cardinality();
        }
        return new Tally(total, found, lost, duplicated, garbled);
    }

    /** Lines that another has found and this one has not. */
    public Map<String, BitSet> missing(LineChecker other) {
        var missing = new HashMap<String, BitSet>();
        other.seen.forEach((writer, numbers) -> {
            var gone = (BitSet) numbers.clone();
            gone.andNot(seen.getOrDefault(writer, new BitSet()));
            if (!gone.isEmpty()) {
                missing.put(writer, gone);
            }
        });
        return missing;
    }

    /** The first line that was not whole, for the message of a test. */
    public String firstGarbled() {
        return firstGarbled;
    }
}
