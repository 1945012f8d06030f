package tailrace.agent.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;

/** One mapping of the YAML text, read against the settings it may have. */
final class Section {
    /** A key that is further away from every known one is not a slip of the finger. */
    private static final int MAX_DISTANCE = 3;

    private final String name;
    private final int line;
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Map<String, Integer> lines = new HashMap<>();
    private final Set<String> read = new HashSet<>();
    private final Interpolation interpolation;
    private final Problems problems;

    /** @param name for messages; empty for the whole file */
    Section(String name, Node node, Interpolation interpolation, Problems problems) {
        this.name = name;
        this.line = lineOf(node);
        this.interpolation = interpolation;
        this.problems = problems;
        if (node instanceof MappingNode mapping) {
            for (NodeTuple tuple : mapping.getValue()) {
                String key = tuple.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "";
                if (nodes.put(key, tuple.getValueNode()) != null) {
                    problems.add(lineOf(tuple.getKeyNode()), "'" + key + "' is there twice");
                }
                lines.put(key, lineOf(tuple.getKeyNode()));
            }
        } else if (!isNull(node)) {
            problems.add(
                    line, (name.isEmpty() ? "the file" : "'" + name + "'") + " must be a mapping of keys to values");
        }
    }

    static int lineOf(Node node) {
        return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
    }

    private static boolean isNull(Node node) {
        return node instanceof ScalarNode scalar
                && (scalar.getValue().isEmpty()
                        || scalar.getValue().equals("~")
                        || scalar.getValue().equals("null"));
    }

    int line() {
        return line;
    }

    int lineOf(String key) {
        return lines.getOrDefault(key, line);
    }

    Set<String> keys() {
        return nodes.keySet();
    }

    /** A regular expression; empty if there is none, or if it is none, which is a problem. */
    Optional<Pattern> pattern(SettingValues values, String key) {
        try {
            return values.optionalString(key).map(Pattern::compile);
        } catch (PatternSyntaxException e) {
            problems.add(
                    lineOf(key),
                    "not a regular expression: " + e.getDescription() + " near character " + (e.getIndex() + 1));
            return Optional.empty();
        }
    }

    /** Names stand in keys, in the ledger and on the command line. */
    static void checkName(String name, String what, int line, Problems problems) {
        if (!name.matches("[A-Za-z0-9_.-]+")) {
            problems.add(
                    line, "the name of a " + what + " has letters, digits, '-', '_' and '.', unlike '" + name + "'");
        }
    }

    /** The mapping under a key; empty if it is not there. */
    Optional<Section> section(String key) {
        read.add(key);
        Node node = nodes.get(key);
        return node == null ? Optional.empty() : Optional.of(new Section(path(key), node, interpolation, problems));
    }

    /** Stands for a mapping that is not there: everything in it has its default. */
    Section absent(String key) {
        return new Section(path(key), new MappingNode(Tag.MAP, List.of(), FlowStyle.BLOCK), interpolation, problems);
    }

    /** The mappings of the list under a key. */
    List<Section> sections(String key) {
        read.add(key);
        Node node = nodes.get(key);
        var sections = new ArrayList<Section>();
        if (node instanceof SequenceNode sequence) {
            for (Node element : sequence.getValue()) {
                sections.add(new Section(path(key) + "[" + sections.size() + "]", element, interpolation, problems));
            }
        } else if (node != null) {
            problems.add(lineOf(key), "'" + path(key) + "' must be a list: write '- ' before each element");
        }
        return sections;
    }

    private String path(String key) {
        return name.isEmpty() ? key : name + "." + key;
    }

    /** The values of these settings, with defaults; what is wrong is noted. */
    SettingValues read(List<Setting> settings) {
        var values = new HashMap<String, Object>();
        for (Setting setting : settings) {
            read.add(setting.key());
            Node node = nodes.get(setting.key());
            if (node != null) {
                value(setting, node).ifPresent(value -> values.put(setting.key(), value));
            } else if (setting.required()) {
                problems.add(line, "'" + path(setting.key()) + "' is missing: " + setting.meaning());
            } else {
                setting.defaultValue().ifPresent(text -> values.put(setting.key(), convert(setting, text)));
            }
        }
        return new SettingValues(values);
    }

    private Optional<Object> value(Setting setting, Node node) {
        try {
            if (setting.kind() == Setting.Kind.STRINGS) {
                return Optional.of(strings(setting, node));
            }
            if (node instanceof ScalarNode scalar) {
                return Optional.of(convert(setting, interpolation.apply(scalar.getValue())));
            }
            problems.add(lineOf(node), "'" + path(setting.key()) + "' must be a single value");
        } catch (IllegalArgumentException e) {
            problems.add(lineOf(node), "'" + path(setting.key()) + "': " + e.getMessage());
        }
        return Optional.empty();
    }

    private List<String> strings(Setting setting, Node node) {
        var strings = new ArrayList<String>();
        if (node instanceof SequenceNode sequence) {
            for (Node element : sequence.getValue()) {
                if (element instanceof ScalarNode scalar) {
                    strings.add(interpolation.apply(scalar.getValue()));
                } else {
                    problems.add(lineOf(element), "'" + path(setting.key()) + "' must be a list of texts");
                }
            }
        } else if (node instanceof ScalarNode scalar) {
            strings.add(interpolation.apply(scalar.getValue()));
        } else {
            problems.add(lineOf(node), "'" + path(setting.key()) + "' must be a list of texts");
        }
        return List.copyOf(strings);
    }

    private static Object convert(Setting setting, String text) {
        return switch (setting.kind()) {
            case STRING -> text;
            case STRINGS -> List.of(text);
            case SIZE -> Units.size(text);
            case DURATION -> Units.duration(text);
            case INTEGER -> integer(text);
            case BOOLEAN -> bool(text);
            case ENUM -> oneOf(setting, text);
        };
    }

    private static Integer integer(String text) {
        try {
            return Integer.valueOf(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number", e);
        }
    }

    private static Boolean bool(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("'" + text + "' is neither true nor false");
        };
    }

    private static String oneOf(Setting setting, String text) {
        if (!setting.values().contains(text)) {
            throw new IllegalArgumentException("'" + text + "' is not one of " + String.join(", ", setting.values())
                    + nearest(text, setting.values()));
        }
        return text;
    }

    /** Notes every key that nobody has asked for. */
    void refuseUnknown() {
        for (String key : nodes.keySet()) {
            if (!read.contains(key)) {
                problems.add(lineOf(key), "unknown key '" + path(key) + "'" + nearest(key, List.copyOf(read)));
            }
        }
    }

    /** A suggestion, if a known word is near. */
    static String nearest(String word, List<String> known) {
        return known.stream()
                .min(Comparator.comparingInt((String k) -> distance(word, k)).thenComparing(Comparator.naturalOrder()))
                .filter(k -> distance(word, k) <= MAX_DISTANCE)
                .map(k -> "; did you mean '" + k + "'?")
                .orElse("; known are " + known.stream().sorted().toList());
    }

    /** The least number of single-character edits (Levenshtein). */
    private static int distance(String a, String b) {
        int[] previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int[] current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
