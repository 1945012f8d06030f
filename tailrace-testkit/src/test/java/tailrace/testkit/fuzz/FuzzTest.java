package tailrace.testkit.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.ledger.LedgerException;
import tailrace.core.ledger.LedgerFile;
import tailrace.core.manifest.Audit;
import tailrace.core.manifest.ManifestCodec;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.testkit.BatchReceiver;
import tailrace.testkit.Fuzzer;

class FuzzTest {
    private static final long SECONDS = Long.getLong("fuzz.seconds", 3);
    private static final Path CORPUS = Path.of("src/test/resources/fuzz");
    private static final int HEADER_BYTES = 18;
    private static final int FRAME_BYTES = 8;

    @TempDir
    Path folder;

    private static void fuzz(String corpus, Fuzzer.Target target) throws IOException {
        long seed = ThreadLocalRandom.current().nextLong();
        long inputs = new Fuzzer(CORPUS.resolve(corpus), seed).run(target, SECONDS);
        System.out.println(corpus + ": " + inputs + " inputs from seed " + seed);
        assertThat(inputs).isGreaterThan(100);
    }

    private void readLedger(byte[] input) throws IOException, Fuzzer.Refused {
        Files.write(folder.resolve("ledger-00000001"), input);
        try {
            LedgerFile.read(new LinuxKernel(), LinuxPath.of(folder.toString()), ledgerRecord -> {});
        } catch (LedgerException e) {
            throw new Fuzzer.Refused(e);
        }
    }

    @Test
    void aLedgerIsReadOrRefused() throws IOException {
        fuzz("ledger", this::readLedger);
    }

    /** The checksums hide the records from a change: here they are made right again. */
    @Test
    void recordsWithTheRightChecksumsAreReadOrRefused() throws IOException {
        fuzz("ledger", input -> readLedger(summed(input)));
    }

    private static byte[] summed(byte[] ledger) {
        ByteBuffer bytes = ByteBuffer.wrap(ledger);
        int at = HEADER_BYTES;
        while (at + FRAME_BYTES <= ledger.length) {
            int length = bytes.getInt(at);
            if (length <= 0 || length > ledger.length - at - FRAME_BYTES) {
                break;
            }
            var crc = new CRC32C();
            crc.update(ledger, at + FRAME_BYTES, length);
            bytes.putInt(at + Integer.BYTES, (int) crc.getValue());
            at += FRAME_BYTES + length;
        }
        return ledger;
    }

    @Test
    void aManifestLineIsReadOrRefused() throws IOException {
        fuzz("manifest", input -> {
            try {
                ManifestCodec.fromLine(new String(input, StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                throw new Fuzzer.Refused(e);
            }
        });
    }

    @Test
    void anAuditOfAnyManifestEndsInWords() throws IOException {
        Path manifests = Files.createDirectories(folder.resolve("_tailrace/manifests"));
        fuzz("manifest", input -> {
            Files.write(manifests.resolve("m.jsonl"), input);
            new Audit(new LinuxKernel(), folder, true).run();
        });
    }

    @Test
    void aBatchOnTheWireIsReadOrRefused() throws IOException {
        fuzz("frame", input -> {
            try {
                BatchReceiver.readBatch(new ByteArrayInputStream(input));
            } catch (IOException e) {
                throw new Fuzzer.Refused(e);
            }
        });
    }
}
