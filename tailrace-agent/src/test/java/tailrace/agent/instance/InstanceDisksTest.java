package tailrace.agent.instance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.linux.Fd;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

class InstanceDisksTest {
    @TempDir
    Path root;

    private void mount(String device, String folder, String type, String source) throws IOException {
        Path file = root.resolve("proc/self/mountinfo");
        Files.createDirectories(file.getParent());
        String line = "36 35 %s / %s rw,noatime shared:1 - %s %s rw\n".formatted(device, folder, type, source);
        Files.writeString(file, (Files.exists(file) ? Files.readString(file) : "") + line);
    }

    /** As the kernel has it: the link of a partition leads below its disk. */
    private void disk(String disk, String partition, String model) throws IOException {
        Path device = Files.createDirectories(root.resolve("sys/devices/" + disk.replace(':', '-')));
        Files.createDirectories(device.resolve("device"));
        Files.writeString(device.resolve("device/model"), model + "                \n");
        Files.createDirectories(device.resolve("part"));
        Path links = Files.createDirectories(root.resolve("sys/dev/block"));
        Files.createSymbolicLink(links.resolve(disk), device);
        Files.createSymbolicLink(links.resolve(partition), device.resolve("part"));
    }

    @Test
    void disksOfTheInstanceAndMemoryAreFoundAndOthersAreNot() throws IOException {
        disk("259:0", "259:1", "Amazon Elastic Block Store");
        disk("259:2", "259:3", "Amazon EC2 NVMe Instance Storage");
        disk("8:16", "8:17", "EphemeralDisk");
        disk("259:8", "259:9", "nvme_card-pd");
        mount("259:1", "/", "ext4", "/dev/nvme0n1p1");
        mount("259:2", "/scratch", "xfs", "/dev/nvme1n1");
        mount("8:17", "/mnt/ssd", "ext4", "/dev/sdb1");
        mount("259:9", "/data", "ext4", "/dev/nvme2n1p1");
        mount("0:26", "/run", "tmpfs", "tmpfs");
        mount("0:5", "/proc", "proc", "proc");
        assertThat(new InstanceDisks(root).devices()).isEqualTo(Set.of(259L << 32 | 2, 8L << 32 | 17, 26L));
    }

    @Test
    void azuresTemporaryDiskIsFoundByItsLink() throws IOException {
        disk("8:0", "8:1", "Virtual Disk");
        disk("8:16", "8:17", "Virtual Disk");
        mount("8:1", "/", "ext4", "/dev/sda1");
        mount("8:17", "/mnt", "ext4", "/dev/sdb1");
        Files.createDirectories(root.resolve("dev/disk/azure"));
        Path partition = Files.createFile(root.resolve("dev/sdb1"));
        Files.createFile(root.resolve("dev/sda1"));
        Files.createSymbolicLink(root.resolve("dev/disk/azure/resource-part1"), partition);
        assertThat(new InstanceDisks(root).devices()).isEqualTo(Set.of(8L << 32 | 17));
    }

    @Test
    void aDeviceIsCalledAsStatCallsIt() throws IOException {
        var files = new LinuxKernel().files();
        long memory = files.status(Fd.CURRENT_DIRECTORY, LinuxPath.of("/dev/shm"))
                .orElseThrow()
                .device();
        assertThat(InstanceDisks.find()).contains(memory);
    }
}
