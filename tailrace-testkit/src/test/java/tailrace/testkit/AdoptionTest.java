package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.ledger.Adoption;
import tailrace.core.ledger.LedgerException;
import tailrace.core.ledger.StateDirectory;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

/** A ledger that comes back from a backup, or was moved: it is recognised, and goes on when it is adopted. */
class AdoptionTest {
    private static final int LINE_BYTES = 100;
    private static final LinuxKernel KERNEL = new LinuxKernel();

    @TempDir
    Path folder;

    private Path in;
    private Path out;
    private Path state;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        out = folder.resolve("out");
        state = folder.resolve("state");
    }

    private RunningEngine.Plan plan() {
        return new RunningEngine.Plan(state).include(in + "/*.log").toFolder(out, "objects");
    }

    private void runUntilDrained() throws IOException {
        try (RunningEngine engine = plan().start()) {
            assertThat(engine.drain(Duration.ofSeconds(30))).isTrue();
        }
    }

    private void copyState(Path from, Path to) throws IOException {
        Files.createDirectory(to);
        try (var files = Files.list(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private Adoption adopt() throws IOException {
        try (var directory = StateDirectory.lock(KERNEL, LinuxPath.of(state.toString()))) {
            return Adoption.adopt(KERNEL, directory, "0a0b0c0d", LinuxPath.of(state + "/pins"));
        }
    }

    private LineChecker.Tally arrived(Map<String, Long> written) throws IOException {
        return new LineChecker().readFolder(out).tally(written);
    }

    @Test
    void aRestoredLedgerIsRefusedUntilItIsAdoptedAndThenGoesOn() throws IOException {
        try (var one = new LineWriter("one", LINE_BYTES, in.resolve("one.log"));
                var two = new LineWriter("two", LINE_BYTES, in.resolve("two.log"))) {
            one.write(100);
            two.write(100);
            runUntilDrained();
            Path backup = folder.resolve("backup");
            copyState(state, backup);
            state = folder.resolve("restored");
            copyState(backup, state);
            one.write(50);
            assertThatThrownBy(() -> plan().start())
                    .isInstanceOf(LedgerException.class)
                    .hasMessageContaining("is a copy")
                    .hasMessageContaining("as after a restore")
                    .hasMessageContaining("tailrace ledger adopt --state " + state);
            Adoption adoption = adopt();
            assertThat(adoption.refound()).isEmpty();
            assertThat(adoption.missing()).isEmpty();
            runUntilDrained();
            runUntilDrained(); // and it is nobody's copy any more
            assertThat(arrived(Map.of("one", 150L, "two", 100L)).isClean()).isTrue();
        }
    }

    @Test
    void filesThatWereRestoredWithItAreFoundAgainByWhatIsInThem() throws IOException {
        for (String name : new String[] {"one", "two", "gone"}) {
            try (var writer = new LineWriter(name, LINE_BYTES, in.resolve(name + ".log"))) {
                writer.write(100);
            }
        }
        runUntilDrained();
        Path copied = folder.resolve("copied");
        copyState(state, copied);
        state = copied;
        Path one = in.resolve("one.log");
        byte[] content = Files.readAllBytes(one);
        Files.delete(one);
        Files.write(one, content); // under its name, with more
        Files.copy(in.resolve("two.log"), in.resolve("two-restored.log"));
        Files.delete(in.resolve("two.log")); // under another
        Files.delete(in.resolve("gone.log"));
        Adoption adoption = adopt();
        assertThat(adoption.refound())
                .containsExactlyInAnyOrder(
                        LinuxPath.of(one.toString()),
                        LinuxPath.of(in.resolve("two-restored.log").toString()));
        assertThat(adoption.missing())
                .containsExactly(LinuxPath.of(in.resolve("gone.log").toString()));
        runUntilDrained();
        assertThat(arrived(Map.of("one", 100L, "two", 100L, "gone", 100L)).isClean())
                .isTrue();
    }

    @Test
    void pinsGoWithTheirLedger() throws IOException {
        try (var writer = new LineWriter("one", LINE_BYTES, in.resolve("one.log"))) {
            writer.write(10);
        }
        runUntilDrained();
        Path pins = Files.createDirectories(state.resolve("pins"));
        String id;
        try (RunningEngine engine = plan().start()) {
            id = engine.status().ledger();
            engine.drain(Duration.ofSeconds(30));
        }
        Files.writeString(pins.resolve(id + "-7"), "x");
        Files.writeString(pins.resolve("ffffffff-7"), "another agent's");
        Adoption adoption = adopt();
        assertThat(pins.resolve(adoption.id() + "-7")).exists();
        assertThat(pins.resolve(id + "-7")).doesNotExist();
        assertThat(pins.resolve("ffffffff-7")).exists();
    }

    @Test
    void whereThereIsNoLedgerNothingIsAdopted() {
        assertThatThrownBy(this::adopt).isInstanceOf(LedgerException.class).hasMessageContaining("there is no ledger");
    }
}
