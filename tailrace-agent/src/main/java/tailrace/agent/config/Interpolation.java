package tailrace.agent.config;

import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** References to the environment: a name in <code>${}</code>, or a name with {@code :-} and a default. */
final class Interpolation {
    private static final Pattern REFERENCE =
            Pattern.compile("\\$\\$\\{|\\$\\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?}|\\$\\{");

    private final Function<String, @Nullable String> environment;

    Interpolation(Function<String, @Nullable String> environment) {
        this.environment = environment;
    }

    /** @throws IllegalArgumentException if a name has no value, or a reference is malformed */
    String apply(String text) {
        Matcher matcher = REFERENCE.matcher(text);
        var result = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(result, Matcher.quoteReplacement(value(matcher, text)));
        }
        return matcher.appendTail(result).toString();
    }

    private String value(Matcher matcher, String text) {
        if (matcher.group().equals("$${")) {
            return "${";
        }
        String name = matcher.group(1);
        if (name == null) {
            throw new IllegalArgumentException(
                    "'" + text + "' has a malformed reference: write ${NAME}, ${NAME:-default}, or $${ for a plain ${");
        }
        String value = environment.apply(name);
        String otherwise = matcher.group(2);
        if (value != null && !(value.isEmpty() && otherwise != null)) {
            return value;
        }
        if (otherwise == null) {
            throw new IllegalArgumentException("the environment variable " + name
                    + " is not set; set it, or give a default: ${" + name + ":-...}");
        }
        return otherwise;
    }
}
