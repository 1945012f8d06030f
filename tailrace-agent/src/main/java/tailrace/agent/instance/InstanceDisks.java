package tailrace.agent.instance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Finds the filesystems that go with the instance: in memory, and on disks that its provider lends only as long. */
public final class InstanceDisks {
    private static final Pattern LENT = Pattern.compile(
            "Amazon EC2 NVMe Instance Storage|nvme_card\\d*|EphemeralDisk" + "|Microsoft NVMe Direct Disk.*");

    /** Where Azure's agent and cloud-init point to the temporary disk, and its first partition. */
    private static final List<String> AZURE_LINKS = List.of(
            "disk/azure/resource",
            "disk/azure/resource-part1",
            "disk/cloud/azure_resource",
            "disk/cloud/azure_resource-part1");

    /** Fields of a line of mountinfo, see proc_pid_mountinfo(5). */
    private static final int DEVICE = 2;

    private final Path root;

    /** @param root of the file system: another one in tests */
    InstanceDisks(Path root) {
        this.root = root;
    }

    /** The devices of this machine, as {@link tailrace.linux.FileStatus#device}; none where that cannot be seen. */
    public static Set<Long> find() {
        return new InstanceDisks(Path.of("/")).devices();
    }

    Set<Long> devices() {
        var devices = new HashSet<Long>();
        try {
            for (String line : Files.readAllLines(root.resolve("proc/self/mountinfo"))) {
                String[] sides = line.split(" - ", 2);
                String[] device = sides[0].split(" ")[DEVICE].split(":");
                String[] filesystem = sides[1].split(" ");
                if (isLent(filesystem[0], filesystem[1], sides[0].split(" ")[DEVICE])) {
                    devices.add(Long.parseLong(device[0]) << 32 | Long.parseLong(device[1]));
                }
            }
        } catch (IOException | RuntimeException e) {
            return Set.of(); // not Linux as we know it: folders can still be named in the configuration
        }
        return devices;
    }

    private boolean isLent(String type, String source, String device) throws IOException {
        return type.equals("tmpfs")
                || type.equals("ramfs")
                || LENT.matcher(model(device)).matches()
                || (source.startsWith("/dev/") && isAzureTemporary(source));
    }

    /** What the disk calls itself; a partition's is its disk's. */
    private String model(String device) throws IOException {
        Path block = root.resolve("sys/dev/block").resolve(device);
        for (String where : List.of("device/model", "../device/model")) {
            Path file = block.resolve(where);
            if (Files.exists(file)) {
                return Files.readString(file).strip();
            }
        }
        return "";
    }

    private boolean isAzureTemporary(String source) throws IOException {
        for (String name : AZURE_LINKS) {
            Path link = root.resolve("dev").resolve(name);
            if (Files.exists(link)
                    && link.toRealPath()
                            .equals(root.resolve(source.substring(1)).toRealPath())) {
                return true;
            }
        }
        return false;
    }
}
