package tailrace.core.watch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tailrace.linux.LinuxPath;

/**
 * An absolute path pattern: {@code *} and {@code ?} within a name, {@code **} for any number of folders, {@code [a-z]},
 * {@code {a,b}}, and {@code \} before a character that stands for itself. It matches bytes, so names need not be
 * UTF-8. A pattern that does not start with {@code /} matches below any folder, as in an exclude list.
 */
public final class Glob {
    private static final String ANY_FOLDERS = "**";
    private static final String SPECIAL = "*?[\\";

    /** One pattern per way through the braces; each a list of names. */
    private final List<List<Name>> alternatives = new ArrayList<>();

    private final String text;
    private final LinuxPath root;

    /** One name of the pattern; {@code anyFolders} is {@code **}. */
    private record Name(boolean anyFolders, Pattern pattern) {}

    /**
     * Compiles a pattern.
     *
     * @throws IllegalArgumentException with a message for a person if it is malformed
     */
    public Glob(String text) {
        if (text.isEmpty() || text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("the pattern is empty or holds a NUL byte");
        }
        this.text = text;
        String anchored = text.startsWith("/") ? text : "/" + ANY_FOLDERS + "/" + text;
        List<String> expanded = expandBraces(anchored);
        for (String pattern : expanded) {
            var names = new ArrayList<Name>();
            for (String name : pattern.split("/")) {
                if (name.isEmpty() || name.equals(".")) {
                    continue;
                }
                if (name.equals("..")) {
                    throw new IllegalArgumentException("'..' is not allowed in a pattern: " + text);
                }
                names.add(new Name(name.equals(ANY_FOLDERS), Pattern.compile(regex(name), Pattern.DOTALL)));
            }
            alternatives.add(names);
        }
        this.root = commonRoot(expanded);
    }

    /** The deepest folder that every match lies in. */
    public LinuxPath root() {
        return root;
    }

    public boolean matches(LinuxPath path) {
        String[] names = names(path);
        return alternatives.stream().anyMatch(pattern -> matches(pattern, 0, names, 0, false));
    }

    /** Whether a match may lie in this folder or below it, so that it is worth watching. */
    public boolean mayMatchBelow(LinuxPath folder) {
        String[] names = names(folder);
        return alternatives.stream().anyMatch(pattern -> matches(pattern, 0, names, 0, true));
    }

    private static boolean matches(List<Name> pattern, int p, String[] names, int n, boolean prefix) {
        if (n == names.length && prefix) {
            return p < pattern.size();
        }
        if (p == pattern.size()) {
            return n == names.length;
        }
        Name first = pattern.get(p);
        if (first.anyFolders) {
            if (p == pattern.size() - 1) {
                return n < names.length; // a trailing ** is every file below
            }
            for (int skip = n; skip <= names.length; skip++) {
                if (matches(pattern, p + 1, names, skip, prefix)) {
                    return true;
                }
            }
            return prefix;
        }
        return n < names.length
                && first.pattern.matcher(names[n]).matches()
                && matches(pattern, p + 1, names, n + 1, prefix);
    }

    /** The names of a path, a character per byte. */
    private static String[] names(LinuxPath path) {
        String bytes = new String(path.bytes(), ISO_8859_1);
        String trimmed = bytes.startsWith("/") ? bytes.substring(1) : bytes;
        return trimmed.isEmpty() ? new String[0] : trimmed.split("/");
    }

    private static LinuxPath commonRoot(List<String> patterns) {
        LinuxPath common = literalFolder(patterns.getFirst());
        for (String pattern : patterns) {
            LinuxPath other = literalFolder(pattern);
            while (!other.startsWith(common)) {
                common = common.parent();
            }
        }
        return common;
    }

    private static LinuxPath literalFolder(String pattern) {
        String[] names = pattern.split("/");
        LinuxPath folder = LinuxPath.of("/");
        for (int i = 0; i < names.length - 1; i++) {
            String name = names[i];
            if (name.chars().anyMatch(c -> SPECIAL.indexOf(c) >= 0)) {
                break;
            }
            if (!name.isEmpty() && !name.equals(".")) {
                folder = folder.resolve(name);
            }
        }
        return folder;
    }

    private static List<String> expandBraces(String pattern) {
        int open = unescaped(pattern, '{', 0);
        if (open < 0) {
            return List.of(pattern);
        }
        var parts = new ArrayList<String>();
        int depth = 0;
        int from = open + 1;
        for (int i = open; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '{') {
                depth++;
            } else if (c == ',' && depth == 1) {
                parts.add(pattern.substring(from, i));
                from = i + 1;
            } else if (c == '}' && --depth == 0) {
                parts.add(pattern.substring(from, i));
                var expanded = new ArrayList<String>();
                for (String part : parts) {
                    expanded.addAll(expandBraces(pattern.substring(0, open) + part + pattern.substring(i + 1)));
                }
                return expanded;
            }
        }
        throw new IllegalArgumentException("a '{' is not closed in the pattern " + pattern);
    }

    private static int unescaped(String text, char wanted, int from) {
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == wanted) {
                return i;
            }
        }
        return -1;
    }

    /** The regular expression, over a character per byte, of one name. */
    private static String regex(String name) {
        String bytes = new String(name.getBytes(UTF_8), ISO_8859_1);
        var regex = new StringBuilder();
        for (int i = 0; i < bytes.length(); i++) {
            char c = bytes.charAt(i);
            switch (c) {
                case '*' -> regex.append("[^/]*");
                // one character of UTF-8, or one byte where the name is not UTF-8
                case '?' -> regex.append("(?:[\\xC0-\\xFF][\\x80-\\xBF]+|[^/])");
                case '[' -> i = appendSet(bytes, i, regex);
                case '\\' -> {
                    if (++i == bytes.length()) {
                        throw new IllegalArgumentException("a '\\' ends the pattern " + name);
                    }
                    regex.append(Pattern.quote(bytes.substring(i, i + 1)));
                }
                default -> regex.append(Pattern.quote(String.valueOf(c)));
            }
        }
        return regex.toString();
    }

    /** Appends a set like {@code [a-z]} or {@code [!0-9]} and returns the place of its closing bracket. */
    private static int appendSet(String name, int open, StringBuilder regex) {
        int first = open + 1;
        boolean negated = first < name.length() && (name.charAt(first) == '!' || name.charAt(first) == '^');
        if (negated) {
            first++;
        }
        int close = name.indexOf(']', first + 1); // a ']' in first place stands for itself
        if (close < 0) {
            throw new IllegalArgumentException("a '[' is not closed in the pattern " + name);
        }
        regex.append(negated ? "[^/" : "[");
        appendMembers(name.substring(first, close), name, regex);
        regex.append(']');
        return close;
    }

    private static void appendMembers(String set, String name, StringBuilder regex) {
        for (int i = 0; i < set.length(); i++) {
            char from = set.charAt(i);
            boolean isRange = i + 2 < set.length() && set.charAt(i + 1) == '-';
            char to = isRange ? set.charAt(i + 2) : from;
            if (to < from) {
                throw new IllegalArgumentException(
                        "the range " + from + "-" + to + " is backwards in the pattern " + name);
            }
            regex.append("\\x%02X-\\x%02X".formatted((int) from, (int) to));
            i += isRange ? 2 : 0;
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
