package tailrace.core.deliver;

import java.util.List;
import java.util.Optional;

/**
 * One key of the configuration.
 *
 * @param values what an ENUM can be; empty for others
 * @param defaultValue as it would be written; empty if the key must be given, or has no value when it is not
 * @param meaning one sentence for the reference
 */
public record Setting(
        String key, Kind kind, List<String> values, boolean required, Optional<String> defaultValue, String meaning) {
    /** How a value is written. */
    public enum Kind {
        STRING,
        ENUM,
        BOOLEAN,
        INTEGER,
        /** Bytes with a unit: 64MiB. */
        SIZE,
        /** Time with a unit: 10s. */
        DURATION,
        STRINGS
    }

    public static Setting required(String key, Kind kind, String meaning) {
        return new Setting(key, kind, List.of(), true, Optional.empty(), meaning);
    }

    public static Setting optional(String key, Kind kind, String defaultValue, String meaning) {
        return new Setting(key, kind, List.of(), false, Optional.of(defaultValue), meaning);
    }

    /** Not required, and without a value if it is not given. */
    public static Setting optional(String key, Kind kind, String meaning) {
        return new Setting(key, kind, List.of(), false, Optional.empty(), meaning);
    }

    public static Setting oneOf(String key, List<String> values, String defaultValue, String meaning) {
        return new Setting(key, Kind.ENUM, List.copyOf(values), false, Optional.of(defaultValue), meaning);
    }
}
