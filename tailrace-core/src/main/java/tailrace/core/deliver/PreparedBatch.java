package tailrace.core.deliver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.core.batch.RecordEnds;
import tailrace.core.batch.RecordRules;
import tailrace.core.track.Guard;
import tailrace.core.track.Withheld;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * A batch as its {@link RecordRules} and its {@link tailrace.core.batch.Codec} make it, in a file without a name: a sink must know
 * how long it is before its first byte, may send it in parts side by side, and may try again. The file is gone with this
 * object, mostly before the kernel has written any of it to the disk.
 */
final class PreparedBatch implements AutoCloseable {
    private static final int FILE_MODE = 0600;

    private final Kernel kernel;
    private final FileCalls files;
    private final Fd file;
    private final Batch batch;

    /** What frames or plain bytes are made in, of {@link Compression#BLOCK_BYTES}. */
    private final MemorySegment block;

    private final Optional<Compression> compression;
    private int inBlock;
    private long lengthBytes;
    private List<Withheld> withheld = List.of();

    private PreparedBatch(Kernel kernel, Fd file, Batch batch) {
        this.kernel = kernel;
        this.files = kernel.files();
        this.file = file;
        this.batch = batch;
        this.block = Compression.block().at(0, Compression.BLOCK_BYTES);
        this.compression = batch.codec().isNone() ? Optional.empty() : Optional.of(Compression.of(batch.codec()));
    }

    /** Whether a batch goes to a sink of bytes otherwise than it is in the files. */
    static boolean isNeeded(Batch batch) {
        return !batch.codec().isNone() || batch.rules().changeBytes();
    }

    /**
     * Prepares a batch.
     *
     * @param folder where there is room for it
     * @param raw its bytes, read in {@link Compression#block} if they are only to be compressed
     * @throws LinuxException of reading, or of writing in the folder: ENOSPC, EDQUOT
     */
    static PreparedBatch of(Kernel kernel, LinuxPath folder, Batch batch, BatchContent raw)
            throws LinuxException, DeliveryException, SourceChangedException {
        var prepared = new PreparedBatch(kernel, unnamed(kernel, folder, batch), batch);
        try {
            if (batch.rules().changeBytes()) {
                prepared.putRecords(raw);
            } else {
                prepared.putBlocks(raw);
            }
            return prepared;
        } catch (LinuxException | DeliveryException | SourceChangedException | RuntimeException e) {
            prepared.close();
            throw e;
        }
    }

    private static Fd unnamed(Kernel kernel, LinuxPath folder, Batch batch) throws LinuxException {
        try {
            return kernel.files()
                    .open(Fd.CURRENT_DIRECTORY, folder, OpenHow.temporary(FILE_MODE))
                    .orElseThrow();
        } catch (LinuxException e) {
            if (e.errno() != Errno.EOPNOTSUPP && e.errno() != Errno.EISDIR && e.errno() != Errno.EINVAL) {
                throw e;
            }
            LinuxPath name = folder.resolve("prepared-" + batch.id()); // where O_TMPFILE is not known
            kernel.names().unlink(Fd.CURRENT_DIRECTORY, name);
            Fd file = kernel.files()
                    .open(Fd.CURRENT_DIRECTORY, name, OpenHow.createNew(FILE_MODE))
                    .orElseThrow();
            kernel.names().unlink(Fd.CURRENT_DIRECTORY, name);
            return file;
        }
    }

    private void putBlocks(BatchContent raw) throws LinuxException, SourceChangedException {
        Compression codec = compression.orElseThrow();
        raw.read(bytes -> {
            int taken = frameLength(bytes);
            append(codec.compress(bytes.asSlice(0, taken)));
            return taken;
        });
    }

    /** A full block ends behind its last line, so that each frame can be read alone. */
    private static int frameLength(MemorySegment block) {
        int length = (int) block.byteSize();
        if (length == Compression.BLOCK_BYTES) {
            long newline = RecordEnds.lastNewline(block, length);
            return newline < 0 ? length : (int) newline + 1;
        }
        return length;
    }

    private void putRecords(BatchContent raw) throws LinuxException, DeliveryException, SourceChangedException {
        RecordRules rules = batch.rules();
        byte[] lineEnd = "\n".getBytes(rules.encoding().charset());
        Optional<JsonRecord> envelope = rules.envelope().map(origin -> new JsonRecord(origin, batch.id()));
        try {
            withheld = Records.each(raw, rules, Integer.MAX_VALUE >> 2, envelope.isEmpty(), taken -> {
                if (envelope.isPresent()) {
                    put(envelope.get().line(taken));
                } else {
                    put(taken.raw());
                    if (!taken.isAll() && rules.tooLong() == RecordRules.TooLong.TRUNCATE) {
                        put(lineEnd);
                    }
                }
            });
        } catch (LinuxException e) {
            throw e;
        } catch (IOException e) {
            throw DeliveryException.transientFailure("cannot read the source: " + e.getMessage(), e);
        }
        flush();
    }

    /** Adds bytes that stay together in a block, if they fit in one. */
    private void put(byte[] bytes) throws LinuxException {
        if (inBlock + bytes.length > block.byteSize()) {
            flush();
        }
        int at = 0;
        while (at < bytes.length) {
            int length = (int) Math.min(bytes.length - at, block.byteSize() - inBlock);
            MemorySegment.copy(bytes, at, block, JAVA_BYTE, inBlock, length);
            at += length;
            inBlock += length;
            if (inBlock == block.byteSize()) {
                flush();
            }
        }
    }

    private void flush() throws LinuxException {
        if (inBlock > 0) {
            MemorySegment bytes = block.asSlice(0, inBlock);
            append(compression.isPresent() ? compression.get().compress(bytes) : bytes);
            inBlock = 0;
        }
    }

    private void append(MemorySegment bytes) throws LinuxException {
        files.pwriteFully(file, bytes, lengthBytes);
        lengthBytes += bytes.byteSize();
    }

    /**
     * Its bytes, to be lent to a sink while this is open.
     *
     * @param buffer the calling thread's
     */
    BatchContent content(SafeOpen open, Integrity integrity, AlignedBuffer buffer) throws LinuxException {
        if (lengthBytes == 0) {
            return new BatchContent(kernel, open, List.of(), withheld, integrity, buffer);
        }
        Extent first = batch.extents().getFirst();
        int guard = Guard.at(files, file, lengthBytes, buffer);
        var all = new Extent(first.file(), first.identity(), first.path(), 0, 0, lengthBytes, 0, 0, guard);
        var slice = new Slice(all, first.path(), Optional.of(file));
        return new BatchContent(kernel, open, List.of(slice), withheld, integrity, buffer);
    }

    @Override
    public void close() throws LinuxException {
        files.close(file);
    }
}
