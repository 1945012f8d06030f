package tailrace.core.track;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tailrace.linux.LinuxPath;

/** The last names that appeared in each watched folder and match no source: one may be a rotation's copy. */
final class RecentNames {
    private static final int PER_FOLDER = 8;
    private static final int MAX_FOLDERS = 1000;

    private final Map<LinuxPath, Deque<LinuxPath>> byFolder = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<LinuxPath, Deque<LinuxPath>> eldest) {
            return size() > MAX_FOLDERS;
        }
    };

    void add(LinuxPath path) {
        Deque<LinuxPath> names = byFolder.computeIfAbsent(path.parent(), folder -> new ArrayDeque<>());
        names.remove(path);
        names.addFirst(path);
        if (names.size() > PER_FOLDER) {
            names.removeLast();
        }
    }

    /** Latest first. */
    List<LinuxPath> in(LinuxPath folder) {
        return List.copyOf(byFolder.getOrDefault(folder, new ArrayDeque<>()));
    }
}
