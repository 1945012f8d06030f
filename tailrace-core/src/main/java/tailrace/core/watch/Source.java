package tailrace.core.watch;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tailrace.linux.LinuxPath;

/**
 * Which files are meant.
 *
 * @param includes files that match one of these belong to the source
 * @param excludes unless they match one of these
 * @param encoding of the text in them
 * @param labels what somebody says of the files, in the order in which it is said
 * @param followSymlinks whether links below the include's folder are followed; if not, they are no way out of it
 */
public record Source(
        String name,
        List<Glob> includes,
        List<Glob> excludes,
        boolean followSymlinks,
        Framing framing,
        Encoding encoding,
        Map<String, String> labels) {
    public Source {
        includes = List.copyOf(includes);
        excludes = List.copyOf(excludes);
        labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
        if (includes.isEmpty()) {
            throw new IllegalArgumentException("source " + name + " includes nothing");
        }
    }

    public boolean matches(LinuxPath path) {
        return includes.stream().anyMatch(g -> g.matches(path))
                && excludes.stream().noneMatch(g -> g.matches(path));
    }

    public boolean mayMatchBelow(LinuxPath folder) {
        return includes.stream().anyMatch(g -> g.mayMatchBelow(folder));
    }
}
