package tailrace.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tailrace.core.ledger.LedgerRecord.Origin;
import tailrace.core.track.FileIdentity;
import tailrace.linux.FileHandle;

class OriginsTest {
    private static FileIdentity file(String filesystem, int type, int handle) {
        return new FileIdentity(filesystem, new FileHandle(type, new byte[] {(byte) handle}));
    }

    private static final Origin WRITTEN = new Origin("aa", file("f1", 1, 1));

    @Test
    void theSameFileOnTheSameMachineIsNoCopy() {
        assertThat(Origins.whyCopy(WRITTEN, WRITTEN)).isEmpty();
    }

    @Test
    void theFilesystemMayHaveAnotherIdAfterAReboot() {
        assertThat(Origins.whyCopy(WRITTEN, new Origin("aa", file("f2", 1, 1)))).isEmpty();
    }

    @Test
    void anotherMachineOrAnotherFileMeansACopy() {
        assertThat(Origins.whyCopy(WRITTEN, new Origin("bb", file("f1", 1, 1))))
                .hasValueSatisfying(why -> assertThat(why).contains("another machine (aa, and this one is bb"));
        assertThat(Origins.whyCopy(WRITTEN, new Origin("aa", file("f1", 1, 2))))
                .hasValueSatisfying(why -> assertThat(why).contains("another file"));
    }

    @Test
    void whatIsNotKnownProvesNothing() {
        assertThat(Origins.whyCopy(WRITTEN, new Origin("", file("f1", 1, 1)))).isEmpty();
        assertThat(Origins.whyCopy(new Origin("", file("f1", 1, 1)), WRITTEN)).isEmpty();
        assertThat(Origins.whyCopy(WRITTEN, new Origin("aa", file("f1", -1, 9))))
                .isEmpty(); // inode and birth time only
    }
}
