package tailrace.core.deliver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Values of {@link Setting}s, checked and with defaults filled in. A STRING or ENUM is a String here, a SIZE a Long of
 * bytes, an INTEGER an Integer, a DURATION a Duration.
 */
public record SettingValues(Map<String, Object> values) {
    public SettingValues {
        values = Map.copyOf(values);
    }

    public boolean has(String key) {
        return values.containsKey(key);
    }

    public String string(String key) {
        return (String) value(key);
    }

    public Optional<String> optionalString(String key) {
        return Optional.ofNullable((String) values.get(key));
    }

    public long sizeBytes(String key) {
        return (Long) value(key);
    }

    public int integer(String key) {
        return (Integer) value(key);
    }

    public boolean isTrue(String key) {
        return (Boolean) value(key);
    }

    public Duration duration(String key) {
        return (Duration) value(key);
    }

    @SuppressWarnings("unchecked") // the reader of the configuration puts only lists of strings there
    public List<String> strings(String key) {
        return (List<String>) value(key);
    }

    private Object value(String key) {
        Object value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("no value for '" + key + "'");
        }
        return value;
    }
}
