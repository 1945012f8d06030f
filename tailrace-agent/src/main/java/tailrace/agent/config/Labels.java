package tailrace.agent.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The labels of a source, and their places in keys. */
final class Labels {
    private static final Pattern LABEL = Pattern.compile("([A-Za-z_][A-Za-z0-9_.-]*)=([^{}/\\x00-\\x1f]*)");
    private static final Pattern PLACE = Pattern.compile("\\{label:([^{}]*)}");

    private Labels() {}

    /** @throws IllegalArgumentException with a message for a person */
    static Map<String, String> of(List<String> texts) {
        var labels = new LinkedHashMap<String, String>();
        for (String text : texts) {
            Matcher matcher = LABEL.matcher(text);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "a label is name=value, the name of letters, digits, '_', '.' and '-',"
                                + " the value without '/', '{' and '}': not '" + text + "'");
            }
            if (labels.put(matcher.group(1), matcher.group(2)) != null) {
                throw new IllegalArgumentException("the label '" + matcher.group(1) + "' is there twice");
            }
        }
        return labels;
    }

    /**
     * A key with the values of its source's labels, which never change.
     *
     * @throws IllegalArgumentException if there is no such label
     */
    static String fill(String key, Map<String, String> labels) {
        return PLACE.matcher(key).replaceAll(place -> {
            String value = labels.get(place.group(1));
            if (value == null) {
                throw new IllegalArgumentException("the source has no label '" + place.group(1) + "', as in "
                        + place.group() + "; it has " + (labels.isEmpty() ? "none" : labels.keySet()));
            }
            return Matcher.quoteReplacement(value);
        });
    }
}
