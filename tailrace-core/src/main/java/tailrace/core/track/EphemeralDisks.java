package tailrace.core.track;

import java.util.List;
import java.util.Set;
import tailrace.linux.LinuxPath;

/**
 * Disks that go with the instance: what is on them is delivered before the rest when the instance is about to go.
 *
 * @param devices as {@link tailrace.linux.FileStatus#device}
 * @param folders that somebody has named, since no device tells
 */
public record EphemeralDisks(Set<Long> devices, List<LinuxPath> folders) {
    public static final EphemeralDisks NONE = new EphemeralDisks(Set.of(), List.of());

    public EphemeralDisks {
        devices = Set.copyOf(devices);
        folders = List.copyOf(folders);
    }

    /** How soon a file's bytes would be lost. */
    public Urgency urgency(TrackedFile file) {
        if (!file.isReachable()) {
            return Urgency.GOING;
        }
        boolean held = devices.contains(file.device) || folders.stream().anyMatch(file.path()::startsWith);
        return held ? Urgency.EPHEMERAL : Urgency.LASTING;
    }
}
