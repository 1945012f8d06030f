package tailrace.testkit.fuzz;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import tailrace.core.ledger.LedgerException;
import tailrace.core.ledger.LedgerFile;
import tailrace.core.manifest.Audit;
import tailrace.core.manifest.FolderArchive;
import tailrace.core.manifest.ManifestCodec;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.testkit.BatchReceiver;

/** What the fuzzer calls; each catches only what its reader promises to throw. */
public final class Targets {
    private static final int HEADER_BYTES = 18;
    private static final int FRAME_BYTES = 8;

    private Targets() {}

    private static Path temporaryFolder() {
        try {
            Path folder = Files.createTempDirectory("fuzz");
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A ledger, as it is. */
    public static final class LedgerBytes {
        private static final Path FOLDER = temporaryFolder();

        private LedgerBytes() {}

        public static void fuzzerTestOneInput(byte[] input) throws IOException {
            Files.write(FOLDER.resolve("ledger-00000001"), input);
            try {
                LedgerFile.read(new LinuxKernel(), LinuxPath.of(FOLDER.toString()), ledgerRecord -> {});
            } catch (LedgerException e) {
                // as promised
            }
        }
    }

    /** The checksums hide the records from a change: here they are made right again. */
    public static final class LedgerRecords {
        private LedgerRecords() {}

        public static void fuzzerTestOneInput(byte[] input) throws IOException {
            LedgerBytes.fuzzerTestOneInput(summed(input));
        }

        private static byte[] summed(byte[] input) {
            byte[] ledger = input.clone();
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
    }

    public static final class ManifestLine {
        private ManifestLine() {}

        public static void fuzzerTestOneInput(byte[] input) {
            try {
                ManifestCodec.fromLine(new String(input, StandardCharsets.UTF_8));
            } catch (IllegalArgumentException e) {
                // as promised
            }
        }
    }

    /** An audit of any manifest ends in words. */
    public static final class AuditedManifest {
        private static final Path FOLDER = temporaryFolder();

        private AuditedManifest() {}

        public static void fuzzerTestOneInput(byte[] input) throws IOException {
            Path manifests = Files.createDirectories(FOLDER.resolve("_tailrace/manifests"));
            Files.write(manifests.resolve("m.jsonl"), input);
            try (var archive = new FolderArchive(new LinuxKernel(), FOLDER)) {
                new Audit(archive, true).run();
            }
        }
    }

    /** A batch as it comes over TCP. */
    public static final class WireFrame {
        private WireFrame() {}

        public static void fuzzerTestOneInput(byte[] input) {
            try {
                BatchReceiver.readBatch(new ByteArrayInputStream(input));
            } catch (IOException e) {
                // as promised
            }
        }
    }
}
