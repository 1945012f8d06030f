package tailrace.agent.config;

import java.util.List;

/** A configuration that cannot be used, with everything that is wrong with it. */
public final class ConfigException extends Exception {
    private final transient List<String> problems;

    public ConfigException(String name, List<String> problems) {
        super(name + " cannot be used:\n  " + String.join("\n  ", problems));
        this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
        return problems;
    }
}
