package tailrace.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import tailrace.linux.Fd;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

class SimulatedKernelContractTest extends KernelContract {
    private final SimulatedMachine machine = new SimulatedMachine(() -> Instant.EPOCH);
    private final SimulatedKernel kernel = machine.process(Interference.NONE);

    SimulatedKernelContractTest() {
        machine.mount("/disk");
    }

    @Override
    Kernel kernel() {
        return kernel;
    }

    @Override
    LinuxPath folder() {
        return LinuxPath.of("/disk");
    }

    private Fd write(String name, int bytes) throws IOException {
        Fd fd = kernel.files()
                .open(Fd.CURRENT_DIRECTORY, LinuxPath.of("/disk/" + name), OpenHow.create(0600))
                .orElseThrow();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment content = arena.allocate(bytes);
            content.fill((byte) 7);
            kernel.files().pwrite(fd, content, 0);
        }
        return fd;
    }

    private void syncFolder() throws IOException {
        Fd folder = kernel.files()
                .open(Fd.CURRENT_DIRECTORY, LinuxPath.of("/disk"), OpenHow.directory())
                .orElseThrow();
        kernel.files().fsync(folder);
        kernel.files().close(folder);
    }

    @Test
    void aPowerCutTakesNamesThatWereNotSynced() throws IOException {
        kernel.files().fdatasync(write("named", 10));
        syncFolder();
        kernel.files().fdatasync(write("unnamed", 10));
        kernel.kill();
        machine.powerCut(bound -> 0);
        assertThat(machine.filesBelow("/disk")).containsExactly("/disk/named");
        assertThat(machine.content("/disk/named")).hasSize(10).containsOnly(7);
        assertThat(machine.inodes("/disk")).isEqualTo(2);
    }

    @Test
    void aPowerCutTearsBytesThatWereNotSynced() throws IOException {
        write("torn", 2000);
        syncFolder();
        kernel.kill();
        machine.powerCut(new PowerCut() {
            private int calls;

            @Override
            public int choose(int bound) {
                calls++;
                return bound > 2 ? bound - 1 : calls % bound; // all of the size, every second sector
            }
        });
        byte[] torn = Objects.requireNonNull(machine.content("/disk/torn"));
        assertThat(torn).hasSize(2000).contains(0, 7);
        for (int at = 0; at < torn.length; at++) {
            assertThat(torn[at]).isEqualTo(torn[at - at % PowerCut.SECTOR_BYTES]);
        }
    }

    @Test
    void descriptorsWatchesAndSpaceRunOut() throws IOException {
        machine.limitSpace("/disk", 100);
        Fd fd = kernel.files()
                .open(Fd.CURRENT_DIRECTORY, LinuxPath.of("/disk/a"), OpenHow.create(0600))
                .orElseThrow();
        try (Arena arena = Arena.ofConfined()) {
            assertThat(kernel.files().pwrite(fd, arena.allocate(150), 0)).isEqualTo(100);
        }
        kernel.files().ftruncate(fd, 0);
        try (Arena arena = Arena.ofConfined()) {
            assertThat(kernel.files().pwrite(fd, arena.allocate(60), 0)).isEqualTo(60);
        }
        assertThat(kernel.openDescriptors()).isEqualTo(1);
        kernel.kill();
        assertThat(kernel.openDescriptors()).isZero();
    }
}
