package tailrace.core.ledger;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import tailrace.core.ledger.LedgerRecord.Origin;
import tailrace.core.track.FileIdentity;
import tailrace.core.track.Identification;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * Tells a ledger from a copy of it. Whoever goes on with a copy gives batches ids that the first one gave to others: a
 * sink that takes each id once would call them delivered, and they would be lost.
 *
 * @see <a href="https://man7.org/linux/man-pages/man5/machine-id.5.html">machine-id(5)</a>
 */
final class Origins {
    private static final LinuxPath MACHINE_ID = LinuxPath.of("/etc/machine-id");
    private static final int MACHINE_ID_BYTES = 32;
    private static final int SHORT_BYTES = 8;

    private Origins() {}

    /** What a ledger file says of itself that is written here, into this descriptor. */
    static Origin of(FileCalls files, Fd ledger) throws LinuxException {
        return new Origin(machine(files), new Identification(files).identify(ledger, files.status(ledger)));
    }

    /** The machine's id, hashed as machine-id(5) asks for; empty if it has none, as some containers. */
    private static String machine(FileCalls files) throws LinuxException {
        Optional<Fd> opened = files.open(Fd.CURRENT_DIRECTORY, MACHINE_ID, OpenHow.read());
        if (opened.isEmpty()) {
            return "";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(MACHINE_ID_BYTES);
            int read = files.pread(opened.get(), buffer, 0);
            String id = new String(buffer.asSlice(0, read).toArray(ValueLayout.JAVA_BYTE), US_ASCII);
            return id.matches("[0-9a-f]{32}") ? hashed(id) : "";
        } finally {
            files.close(opened.get());
        }
    }

    private static String hashed(String id) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(("tailrace " + id).getBytes(US_ASCII));
            return HexFormat.of().formatHex(Arrays.copyOf(hash, SHORT_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Why a ledger that says so of itself, and is found here, is a copy; empty if it is none. The filesystem's id alone
     * proves nothing: that of XFS is another after some reboots.
     */
    static Optional<String> whyCopy(Origin written, Origin here) {
        if (!written.machine().isEmpty()
                && !here.machine().isEmpty()
                && !written.machine().equals(here.machine())) {
            return Optional.of("it was written on another machine (" + written.machine() + ", and this one is "
                    + here.machine() + ": a hash of /etc/machine-id)");
        }
        boolean bothExact = written.file().step() == FileIdentity.Step.FILE_HANDLE
                && here.file().step() == FileIdentity.Step.FILE_HANDLE;
        if (bothExact && !written.file().handle().equals(here.file().handle())) {
            return Optional.of("it was written as another file (" + written.file() + ", and this one is " + here.file()
                    + "), as after a restore from a backup or a move to another filesystem");
        }
        return Optional.empty();
    }
}
