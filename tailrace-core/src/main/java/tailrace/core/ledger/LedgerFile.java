package tailrace.core.ledger;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;
import tailrace.linux.DirectoryEntry;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** Finds and reads the ledger file of a state directory. Changes nothing. */
public final class LedgerFile {
    private static final String PREFIX = "ledger-";

    /**
     * A ledger as read.
     *
     * @param validBytes how far it is whole; behind that a half-written record may stand, as after a crash
     */
    public record Content(
            LinuxPath name, int generation, String id, LedgerState state, long validBytes, long fileBytes) {
        public boolean isTorn() {
            return validBytes < fileBytes;
        }
    }

    private LedgerFile() {}

    static LinuxPath name(int generation) {
        return LinuxPath.of(PREFIX + "%08d".formatted(generation));
    }

    /**
     * Reads the newest ledger of a state directory.
     *
     * @param each is told every record
     * @return empty if the directory never had one
     * @throws LedgerException if it is corrupt or of a newer version
     */
    public static Optional<Content> read(Kernel kernel, LinuxPath directory, Consumer<LedgerRecord> each)
            throws LedgerException {
        try {
            Optional<Fd> opened = kernel.files().open(Fd.CURRENT_DIRECTORY, directory, OpenHow.directory());
            if (opened.isEmpty()) {
                return Optional.empty();
            }
            try {
                return read(kernel, directory, opened.get(), each);
            } finally {
                kernel.files().close(opened.get());
            }
        } catch (LinuxException e) {
            throw new LedgerException("cannot read the ledger in " + directory + ": " + e.getMessage(), e);
        }
    }

    private static Optional<Content> read(Kernel kernel, LinuxPath path, Fd directory, Consumer<LedgerRecord> each)
            throws LinuxException, LedgerException {
        int newest = 0;
        for (DirectoryEntry entry : kernel.names().list(directory)) {
            newest = Math.max(newest, generation(entry.name()));
        }
        if (newest == 0) {
            if (kernel.files().status(directory, LinuxPath.of("used")).isPresent()) {
                throw new LedgerException("the state directory " + path + " was used before, but its ledger is gone"
                        + Journal.Advice.RESTORE);
            }
            return Optional.empty();
        }
        LinuxPath name = name(newest);
        byte[] bytes = readAll(kernel.files(), directory, name);
        Journal.Header header = Journal.readHeader(bytes, name.toString());
        var state = new LedgerState();
        long valid = replay(bytes, header.version(), name, state, each);
        if (!state.isWhole()) {
            throw new LedgerException(
                    "the ledger " + name + " is cut off within its snapshot" + Journal.Advice.RESTORE);
        }
        return Optional.of(new Content(name, newest, header.id(), state, valid, bytes.length));
    }

    /** 0 if it is no name of a ledger. */
    private static int generation(LinuxPath name) {
        String text = name.toString();
        return text.matches(PREFIX + "[0-9]{8}") ? Integer.parseInt(text.substring(PREFIX.length())) : 0;
    }

    /** Removes what a newer ledger has replaced; after a crash that may be more than one. */
    static void removeOlder(Kernel kernel, Fd directory, int newest) throws LinuxException {
        for (DirectoryEntry entry : kernel.names().list(directory)) {
            int generation = generation(entry.name());
            if (generation > 0 && generation < newest) {
                kernel.names().unlink(directory, entry.name());
            }
        }
    }

    private static long replay(
            byte[] bytes, int version, LinuxPath name, LedgerState state, Consumer<LedgerRecord> each)
            throws LedgerException {
        int at = Journal.HEADER_BYTES;
        while (at < bytes.length) {
            int length = frameLength(bytes, at);
            if (length < 0) {
                refuseIfMoreFollows(bytes, at, name);
                return at;
            }
            byte[] body =
                    java.util.Arrays.copyOfRange(bytes, at + Journal.FRAME_BYTES, at + Journal.FRAME_BYTES + length);
            LedgerRecord ledgerRecord;
            try {
                ledgerRecord = LedgerCodec.read(body, version, state);
                state.apply(ledgerRecord);
            } catch (IOException | RuntimeException e) { // numbers that make no time, no range, no known file
                throw new LedgerException(
                        "the ledger " + name + " is corrupt at byte " + at + ": " + e.getMessage()
                                + Journal.Advice.RESTORE,
                        e);
            }
            each.accept(ledgerRecord);
            at += Journal.FRAME_BYTES + length;
        }
        return at;
    }

    /** The length of the record whose frame begins here, or -1 if there is no whole frame. */
    private static int frameLength(byte[] bytes, int at) {
        if (bytes.length - at < Journal.FRAME_BYTES) {
            return -1;
        }
        ByteBuffer frame = ByteBuffer.wrap(bytes, at, bytes.length - at);
        int length = frame.getInt();
        int crc = frame.getInt();
        boolean fits = length > 0 && length <= Journal.MAX_RECORD_BYTES && length <= frame.remaining();
        return fits && crc == Journal.crc(bytes, at + Journal.FRAME_BYTES, length) ? length : -1;
    }

    /**
     * A crash tears only the commit that was being written, of which any part may be missing. If another commit begins
     * behind a broken frame, something else damaged the ledger.
     */
    private static void refuseIfMoreFollows(byte[] bytes, int broken, LinuxPath name) throws LedgerException {
        for (int at = broken + 1; at < bytes.length - Journal.FRAME_BYTES; at++) {
            if (frameLength(bytes, at) == 1 && bytes[at + Journal.FRAME_BYTES] == LedgerCodec.COMMIT_STARTED) {
                throw new LedgerException("the ledger " + name + " is corrupt at byte " + broken
                        + ", and goes on behind that" + Journal.Advice.RESTORE);
            }
        }
    }

    private static byte[] readAll(FileCalls files, Fd directory, LinuxPath name) throws LinuxException {
        Fd fd = files.open(directory, name, OpenHow.read()).orElseThrow();
        try (Arena arena = Arena.ofConfined()) {
            long size = files.status(fd).sizeBytes();
            MemorySegment buffer = arena.allocate(size);
            return buffer.asSlice(0, files.preadFully(fd, buffer, 0)).toArray(ValueLayout.JAVA_BYTE);
        } finally {
            files.close(fd);
        }
    }
}
