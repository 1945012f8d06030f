package tailrace.agent.config;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and durations as people write them. */
public final class Units {
    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([A-Za-z]*)");
    private static final Map<String, Long> BYTES = new LinkedHashMap<>();
    private static final Map<String, Long> MILLIS = new LinkedHashMap<>();

    static {
        BYTES.put("B", 1L);
        BYTES.put("KiB", 1L << 10);
        BYTES.put("MiB", 1L << 20);
        BYTES.put("GiB", 1L << 30);
        BYTES.put("TiB", 1L << 40);
        BYTES.put("kB", 1_000L);
        BYTES.put("MB", 1_000_000L);
        BYTES.put("GB", 1_000_000_000L);
        BYTES.put("TB", 1_000_000_000_000L);
        MILLIS.put("ms", 1L);
        MILLIS.put("s", 1_000L);
        MILLIS.put("m", 60_000L);
        MILLIS.put("h", 3_600_000L);
    }

    /** Four exabytes, or a hundred million years. */
    private static final double MOST = 4e18;

    private Units() {}

    /**
     * Bytes.
     *
     * @throws IllegalArgumentException with a message for a person
     */
    public static long size(String text) {
        return parse(text, BYTES, "a size like 64MiB (B, KiB, MiB, GiB, TiB, kB, MB, GB, TB)");
    }

    /**
     * A time.
     *
     * @throws IllegalArgumentException with a message for a person
     */
    public static Duration duration(String text) {
        return Duration.ofMillis(parse(text, MILLIS, "a duration like 10s (ms, s, m, h)"));
    }

    private static long parse(String text, Map<String, Long> units, String wanted) {
        Matcher matcher = NUMBER_AND_UNIT.matcher(text.strip());
        Long unit = matcher.matches() ? units.get(matcher.group(2)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("'" + text + "' is not " + wanted);
        }
        double value = Double.parseDouble(matcher.group(1)) * unit;
        if (value > MOST) {
            throw new IllegalArgumentException("'" + text + "' is too large");
        }
        return Math.round(value);
    }

    /** Bytes for a person: 1.5 GiB. */
    public static String sizeText(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        String[] names = {"KiB", "MiB", "GiB", "TiB", "PiB"};
        double value = bytes;
        int unit = -1;
        while (value >= 1024 && unit < names.length - 1) {
            value /= 1024;
            unit++;
        }
        return "%.1f %s".formatted(value, names[unit]);
    }
}
