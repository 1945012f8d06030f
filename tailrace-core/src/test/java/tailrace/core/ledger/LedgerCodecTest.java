package tailrace.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import tailrace.core.batch.Extent;
import tailrace.core.ledger.LedgerRecord.RouteState;
import tailrace.core.track.Books;
import tailrace.core.track.FileIdentity;
import tailrace.core.track.Inheritance;
import tailrace.core.track.LossReason;
import tailrace.core.track.Range;
import tailrace.core.track.Withheld;
import tailrace.linux.FileHandle;
import tailrace.linux.LinuxPath;

class LedgerCodecTest {
    private static final FileIdentity IDENTITY = new FileIdentity("00ff", new FileHandle(1, new byte[] {1, 2, 3}));
    private static final LinuxPath PATH = LinuxPath.ofBytes(new byte[] {'/', 'a', (byte) 0xFF});
    private static final Instant AT = Instant.ofEpochSecond(1_800_000_000L, 5);

    private static final LedgerRecord.FileState FILE = new LedgerRecord.FileState(
            3,
            IDENTITY,
            PATH,
            2,
            100,
            50,
            List.of(new RouteState("app>s", 5, 80, 77, 120, 4, 3, List.of(new Range(7, 9)))));
    private static final LedgerRecord.Sealed BATCH = new LedgerRecord.Sealed(
            1, 9, "app>s", "p", LinuxPath.of("k"), AT, List.of(new Extent(3, IDENTITY, PATH, 2, 80, 90, 6, 77, 78)));

    private static byte[] bytes(LedgerRecord written) throws IOException {
        var out = new ByteArrayOutputStream();
        LedgerCodec.write(written, new DataOutputStream(out));
        return out.toByteArray();
    }

    private static LedgerState stateWithFile() throws IOException {
        var state = new LedgerState();
        state.apply(FILE);
        return state;
    }

    @Test
    void everyRecordComesBackAsItWas() throws IOException {
        for (LedgerRecord written : List.of(
                new LedgerRecord.RunStarted(4, AT, "host"),
                FILE,
                new LedgerRecord.Grown(3, 200),
                new LedgerRecord.FileForgotten(3),
                new LedgerRecord.Closed("app>s", 4, 2, 1, 1),
                BATCH,
                new LedgerRecord.Reopened(BATCH),
                new LedgerRecord.Delivered(1, 9, 0, 10, OptionalInt.of(-5), List.of(new Withheld(4, 1))),
                new LedgerRecord.Delivered(1, 9, 7, 10, OptionalInt.empty(), List.of()),
                new LedgerRecord.Abandoned(1, 9),
                new LedgerRecord.KeyLength("app>s", LinuxPath.of("k"), 1L << 40),
                new LedgerRecord.Lost(3, "app>s", 2, new Range(1, 2), LossReason.TRUNCATED),
                new LedgerRecord.CommitStarted(),
                new LedgerRecord.CopyOf(3, new Inheritance(2, 1, 100)),
                new LedgerRecord.Origin("aabb", IDENTITY),
                new LedgerRecord.Identified(3, IDENTITY),
                new LedgerRecord.SnapshotEnd(12))) {
            assertThat(LedgerCodec.read(bytes(written), Journal.VERSION, stateWithFile()))
                    .isEqualTo(written);
        }
    }

    /** Ledgers that are on disks somewhere must stay readable: if this fails, raise the version and read both. */
    @Test
    void theBytesOfVersion2AreTheseForEver() throws IOException {
        assertThat(HexFormat.of().formatHex(Journal.header("0a1b2c3d")))
                .isEqualTo("5441494c5241434500020a1b2c3d"
                        + HexFormat.of().toHexDigits(Journal.crc(Journal.header("0a1b2c3d"), 0, 14)));
        assertThat(HexFormat.of().formatHex(bytes(FILE)))
                .isEqualTo("020000000300043030666600000001000000030102030000000" + "32f61ff"
                        + "0000000200000000000000640000000000000032000000010005617070" + "3e73"
                        + "000000000000000500000000000000500000004d00000000000000780000000000000004"
                        + "0000000000000003"
                        + "0000000100000000000000070000000000000009");
        assertThat(HexFormat.of()
                        .formatHex(bytes(new LedgerRecord.Delivered(
                                1, 9, 7, 10, OptionalInt.of(1), List.of(new Withheld(4, 1))))))
                .isEqualTo("080000000100000000000000090000000000000007" + "000000000000000a" + "0100000001" + "00000001"
                        + "0000000000000004" + "0000000000000001");
        assertThat(HexFormat.of().formatHex(bytes(BATCH)))
                .isEqualTo("06000000010000000000000009000561" + "70703e7300017000000001" + "6b"
                        + "000000006b49d20000000005000000010000000300000002"
                        + "0000000000000050000000000000005a" + "0000000000000006" + "0000004d0000004e");
    }

    /** What this program wrote before {@link Extent#headBytes}, filters, and lengths of what was delivered. */
    @Test
    void ledgersOfVersion1AreRead() throws IOException {
        var file = new LedgerRecord.FileState(
                FILE.file(),
                FILE.identity(),
                FILE.firstPath(),
                FILE.epoch(),
                FILE.seen(),
                FILE.seenBefore(),
                List.of(new RouteState("app>s", 5, 80, 77, 120, 4, 0, List.of(new Range(7, 9)))));
        assertThat(first("020000000300043030666600000001000000030102030000000" + "32f61ff"
                        + "0000000200000000000000640000000000000032000000010005617070" + "3e73"
                        + "000000000000000500000000000000500000004d00000000000000780000000000000004"
                        + "0000000100000000000000070000000000000009"))
                .isEqualTo(file);
        var batch = new LedgerRecord.Sealed(
                1,
                9,
                "app>s",
                "p",
                LinuxPath.of("k"),
                AT,
                List.of(new Extent(3, IDENTITY, PATH, 2, 80, 90, 0, 77, 78)));
        assertThat(first("06000000010000000000000009000561" + "70703e7300017000000001" + "6b"
                        + "000000006b49d20000000005000000010000000300000002"
                        + "0000000000000050000000000000005a0000004d0000004e"))
                .isEqualTo(batch);
        assertThat(first("0800000001000000000000000900000000000000070100000001"))
                .isEqualTo(new LedgerRecord.Delivered(1, 9, 7, 10, OptionalInt.of(1), List.of()));
        assertThat(first("0500056170703e73" + "0000000000000003" + "0000000000000002" + "0000000000000001"))
                .isEqualTo(new LedgerRecord.Closed("app>s", 3, 2, 1, 0));
    }

    private static LedgerRecord first(String hex) throws IOException {
        LedgerState known = stateWithFile();
        known.apply(BATCH);
        return LedgerCodec.read(HexFormat.of().parseHex(hex), 1, known);
    }

    @Test
    void theBooksBalanceThroughTheLifeOfABatch() throws IOException {
        LedgerState state = stateWithFile();
        assertThat(state.books("app>s")).isEqualTo(new Books(145, 120, 20 + 2, 4, 3));
        state.apply(BATCH);
        assertThat(state.books("app>s").pending()).isEqualTo(22);
        state.apply(new LedgerRecord.Abandoned(1, 9));
        assertThat(state.books("app>s").pending()).isEqualTo(22);
        assertThat(state.openBatches()).isEmpty();
    }

    @Test
    void aSealThatDoesNotFollowIsCorruption() throws IOException {
        LedgerState state = stateWithFile();
        state.apply(BATCH);
        assertThatThrownBy(() -> state.apply(BATCH))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("do not follow");
    }

    @Test
    void bytesThatAreNoRecordAreRefused() {
        for (String hex : List.of("ff", "03", "04000000", "0c00000000000000010c", "020000000300047fffffff")) {
            byte[] bytes = HexFormat.of().parseHex(hex);
            assertThatThrownBy(() -> LedgerCodec.read(bytes, Journal.VERSION, new LedgerState()))
                    .as(hex)
                    .isInstanceOf(IOException.class);
        }
    }
}
