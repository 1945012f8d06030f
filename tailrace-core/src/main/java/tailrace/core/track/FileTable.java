package tailrace.core.track;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tailrace.linux.FileHandle;
import tailrace.linux.LinuxPath;

/** All tracked files, found by who they are, by name, or by watch. */
final class FileTable {
    private int nextNumber;
    private final Map<FileIdentity, TrackedFile> byIdentity = new HashMap<>();
    private final Map<FileHandle, TrackedFile> restored = new HashMap<>();
    private final Map<Integer, TrackedFile> byNumber = new LinkedHashMap<>();
    private final Map<LinuxPath, TrackedFile> byPath = new HashMap<>();
    private final Map<Integer, TrackedFile> byWatch = new HashMap<>();

    /** Files get numbers from here on. */
    void startNumbersAt(int first) {
        nextNumber = first;
    }

    int takeNumber() {
        return nextNumber++;
    }

    void add(TrackedFile file) {
        byIdentity.put(file.identity(), file);
        byNumber.put(file.number(), file);
    }

    /** A file that is known from the ledger. */
    void addRestored(TrackedFile file) {
        add(file);
        restored.put(file.identity().handle(), file);
    }

    /** All files were looked for: those known from the ledger need not be found by handle any more. */
    void endRestoring() {
        restored.clear();
    }

    /** The same file under another identity. */
    void identify(TrackedFile file, FileIdentity identity) {
        byIdentity.remove(file.identity());
        file.identify(identity);
        byIdentity.put(identity, file);
    }

    void remove(TrackedFile file) {
        byIdentity.remove(file.identity());
        byNumber.remove(file.number());
        List.copyOf(file.paths).forEach(path -> unname(file, path));
        unwatch(file);
    }

    void name(TrackedFile file, LinuxPath path) {
        if (!file.paths.contains(path)) {
            file.paths.add(path);
        }
        byPath.put(path, file);
    }

    void unname(TrackedFile file, LinuxPath path) {
        file.paths.remove(path);
        byPath.remove(path, file);
    }

    void watch(TrackedFile file, int watch) {
        file.watch = watch;
        if (watch >= 0) {
            byWatch.put(watch, file);
        }
    }

    void unwatch(TrackedFile file) {
        byWatch.remove(file.watch, file);
        file.watch = -1;
    }

    @Nullable
    TrackedFile named(LinuxPath path) {
        return byPath.get(path);
    }

    @Nullable
    TrackedFile identified(FileIdentity identity) {
        return byIdentity.get(identity);
    }

    @Nullable
    TrackedFile numbered(int number) {
        return byNumber.get(number);
    }

    @Nullable
    TrackedFile watched(int watch) {
        return byWatch.get(watch);
    }

    /** A file known from the ledger, and not found yet, that has this handle on a filesystem of whatever id. */
    @Nullable
    TrackedFile unlocatedWithHandle(FileHandle handle) {
        TrackedFile file = restored.get(handle);
        return file != null && !file.located ? file : null;
    }

    List<LinuxPath> namesBelow(LinuxPath folder) {
        return byPath.keySet().stream().filter(path -> path.startsWith(folder)).toList();
    }

    Collection<TrackedFile> all() {
        return Collections.unmodifiableCollection(byNumber.values());
    }

    List<TrackedFile> copyOfAll() {
        return new ArrayList<>(byNumber.values());
    }
}
