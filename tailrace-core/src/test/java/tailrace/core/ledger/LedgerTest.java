package tailrace.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Clock;
import tailrace.core.EventLog;
import tailrace.core.Workers;
import tailrace.core.World;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

/** The ledger on a real disk, with a writer that runs on the same thread. */
class LedgerTest {
    private static final Workers SAME_THREAD = new Workers() {
        @Override
        public Executor pool(String name, int threads) {
            return Runnable::run;
        }

        @Override
        public void close() {}
    };

    @TempDir
    Path folder;

    private final World world = new World(new LinuxKernel(), Clock.SYSTEM, SAME_THREAD, new SplittableRandom(1));
    private final EventLog log = new EventLog((event, line) -> {});

    private Ledger open(StateDirectory directory) throws LedgerException {
        return Ledger.open(world, log, directory, () -> {});
    }

    private StateDirectory lock() throws LedgerException {
        return StateDirectory.lock(world.kernel(), LinuxPath.of(folder.toString()));
    }

    private static LedgerRecord key(int number, long length) {
        return new LedgerRecord.KeyLength("app>s", LinuxPath.of("key-" + number), length);
    }

    private static void commit(Ledger ledger) throws LedgerException {
        ledger.hurry();
        ledger.commit();
        ledger.commit();
    }

    private List<String> ledgerFiles() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("ledger"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void whatWasCommittedIsThereAgainAndWhatWasNotIsNot() throws IOException {
        String id;
        try (StateDirectory directory = lock();
                Ledger ledger = open(directory)) {
            id = ledger.id();
            long position = ledger.append(key(1, 10));
            assertThat(ledger.isDurable(position)).isFalse();
            commit(ledger);
            assertThat(ledger.isDurable(position)).isTrue();
            ledger.append(key(2, 20));
        }
        try (StateDirectory directory = lock();
                Ledger ledger = open(directory)) {
            assertThat(ledger.id()).isEqualTo(id);
            assertThat(ledger.recovered().keyLengths()).hasSize(1);
        }
    }

    @Test
    void aLedgerThatHasGrownIsWrittenAnew() throws IOException {
        try (StateDirectory directory = lock();
                Ledger ledger = open(directory)) {
            for (int i = 0; !ledger.wantsSnapshot(); i++) {
                ledger.append(key(i % 10, i));
                if (i % 1000 == 0) {
                    commit(ledger);
                }
            }
            long before = Files.size(folder.resolve(ledgerFiles().getFirst()));
            var state = new ArrayList<LedgerRecord>();
            state.add(new LedgerRecord.RunStarted(5, Instant.EPOCH, "host"));
            for (int i = 0; i < 10; i++) {
                state.add(key(i, 77));
            }
            ledger.snapshot(state);
            ledger.commit();
            assertThat(ledgerFiles()).containsExactly("ledger-00000002");
            assertThat(Files.size(folder.resolve("ledger-00000002"))).isLessThan(before / 1000);
            ledger.append(key(0, 78));
            commit(ledger);
        }
        try (StateDirectory directory = lock();
                Ledger ledger = open(directory)) {
            assertThat(ledger.recovered().runs()).isEqualTo(5);
            assertThat(ledger.recovered().keyLengths()).hasSize(10).containsValue(78L);
        }
    }

    /** A crash may leave any prefix of what was being written. */
    @Test
    void everyPrefixOfTheLastRecordsIsReadUpToItsLastWholeOne() throws IOException {
        long whole;
        Path file;
        try (StateDirectory directory = lock();
                Ledger ledger = open(directory)) {
            ledger.append(key(1, 1));
            commit(ledger);
            file = folder.resolve(ledgerFiles().getFirst());
            whole = Files.size(file);
            ledger.append(key(2, 2));
            ledger.append(key(3, 3));
            commit(ledger);
        }
        byte[] bytes = Files.readAllBytes(file);
        int start = Journal.FRAME_BYTES + 1; // of the commit
        int record = (bytes.length - (int) whole - start) / 2;
        for (int length = (int) whole; length <= bytes.length; length++) {
            Files.write(file, java.util.Arrays.copyOf(bytes, length));
            LedgerFile.Content content = LedgerFile.read(world.kernel(), LinuxPath.of(folder.toString()), each -> {})
                    .orElseThrow();
            int left = length - (int) whole - start;
            int records = Math.max(0, left) / record;
            assertThat(content.state().keyLengths()).hasSize(1 + records);
            assertThat(content.validBytes()).isEqualTo(left < 0 ? whole : whole + start + (long) records * record);
        }
    }

    /** A disk writes sectors in any order: of the last commit any may be missing, of those before none. */
    @Test
    void aHoleInTheLastCommitIsTornAndOneBeforeIsCorruption() throws IOException {
        long whole;
        Path file;
        try (StateDirectory directory = lock();
                Ledger ledger = open(directory)) {
            for (int i = 0; i < 100; i++) {
                ledger.append(key(i, i));
            }
            commit(ledger);
            file = folder.resolve(ledgerFiles().getFirst());
            whole = Files.size(file);
            for (int i = 0; i < 100; i++) {
                ledger.append(key(i, i));
            }
            commit(ledger);
        }
        byte[] bytes = Files.readAllBytes(file);
        for (int hole : new int[] {(int) whole, (int) whole + 100, (bytes.length + (int) whole) / 2}) {
            byte[] torn = bytes.clone();
            java.util.Arrays.fill(torn, hole, hole + 60, (byte) 0);
            Files.write(file, torn);
            LedgerFile.Content content = LedgerFile.read(world.kernel(), LinuxPath.of(folder.toString()), each -> {})
                    .orElseThrow();
            assertThat(content.state().keyLengths()).hasSize(100);
            assertThat(content.validBytes()).isBetween(whole, (long) hole);
        }
        byte[] corrupt = bytes.clone();
        java.util.Arrays.fill(corrupt, (int) whole / 2, (int) whole / 2 + 60, (byte) 0);
        Files.write(file, corrupt);
        assertThatThrownBy(() -> LedgerFile.read(world.kernel(), LinuxPath.of(folder.toString()), each -> {}))
                .isInstanceOf(LedgerException.class)
                .hasMessageContaining("goes on behind that");
    }
}
