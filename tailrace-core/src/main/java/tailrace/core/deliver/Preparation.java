package tailrace.core.deliver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Semaphore;
import java.util.zip.CRC32C;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Newlines;
import tailrace.core.batch.RecordRules;
import tailrace.core.track.Withheld;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * Makes of a batch what its {@link RecordRules} and its {@link tailrace.core.batch.Codec} want: page cache, aligned block, codec, and
 * from there straight into a file. For one courier's thread.
 */
final class Preparation {
    private static final int FILE_MODE = 0600;

    /** A longer record is held in memory in parts of this, unless the route says how long one may be. */
    private static final int USUAL_RECORD_BYTES = 16 << 20;

    /**
     * What was made.
     *
     * @param crc32c of the bytes that were made
     * @param withheld what of the batch they leave out, extent by extent
     */
    record Made(long lengthBytes, OptionalInt crc32c, List<Withheld> withheld) {}

    private final Kernel kernel;
    private final FileCalls files;
    private final LinuxPath folder;
    private final Batch batch;
    private final BatchContent raw;
    private final Semaphore processors;

    /**
     * Prepares nothing yet.
     *
     * @param folder where there is room for a batch
     * @param raw the batch's bytes, read in {@link Compression#block}
     * @param processors has a permit for each processor: more couriers at a time only take the caches from each other
     */
    Preparation(Kernel kernel, LinuxPath folder, Batch batch, BatchContent raw, Semaphore processors) {
        this.kernel = kernel;
        this.files = kernel.files();
        this.folder = folder;
        this.batch = batch;
        this.raw = raw;
        this.processors = processors;
    }

    /** Whether a batch goes to a sink of bytes otherwise than it is in the files. */
    static boolean isNeeded(Batch batch) {
        return !batch.codec().isNone() || batch.rules().changeBytes();
    }

    /**
     * A new file without a name, gone with its descriptor, mostly before the kernel has written any of it to the disk.
     *
     * @throws LinuxException ENOSPC, EDQUOT, ...
     */
    Fd unnamedFile() throws LinuxException {
        try {
            return files.open(Fd.CURRENT_DIRECTORY, folder, OpenHow.temporary(FILE_MODE))
                    .orElseThrow();
        } catch (LinuxException e) {
            if (e.errno() != Errno.EOPNOTSUPP && e.errno() != Errno.EISDIR && e.errno() != Errno.EINVAL) {
                throw e;
            }
            LinuxPath name = folder.resolve("prepared-" + batch.id()); // where O_TMPFILE is not known
            kernel.names().unlink(Fd.CURRENT_DIRECTORY, name);
            Fd file = files.open(Fd.CURRENT_DIRECTORY, name, OpenHow.createNew(FILE_MODE))
                    .orElseThrow();
            kernel.names().unlink(Fd.CURRENT_DIRECTORY, name);
            return file;
        }
    }

    /**
     * Makes the bytes, into a file from an offset on.
     *
     * @throws LinuxException of reading, or of writing
     * @throws DeliveryException a record is too long, and that is an error
     */
    Made write(Fd file, long offset, Integrity integrity)
            throws LinuxException, DeliveryException, SourceChangedException {
        processors.acquireUninterruptibly(); // for no longer than batches take that are prepared now
        try {
            return writeNow(file, offset, integrity);
        } finally {
            processors.release();
        }
    }

    private Made writeNow(Fd file, long offset, Integrity integrity)
            throws LinuxException, DeliveryException, SourceChangedException {
        Optional<Compression> compression =
                batch.codec().isNone() ? Optional.empty() : Optional.of(Compression.of(batch.codec()));
        Optional<CRC32C> crc = integrity == Integrity.CRC32C ? Optional.of(new CRC32C()) : Optional.empty();
        var output = new Output(file, offset, compression, crc);
        List<Withheld> withheld = List.of();
        if (batch.rules().changeBytes()) {
            withheld = putRecords(output);
        } else {
            raw.read(output::putBlock);
        }
        OptionalInt sum = crc.isPresent() ? OptionalInt.of((int) crc.get().getValue()) : OptionalInt.empty();
        return new Made(output.at - offset, sum, withheld);
    }

    private List<Withheld> putRecords(Output output) throws LinuxException, DeliveryException, SourceChangedException {
        RecordRules rules = batch.rules();
        byte[] lineEnd = "\n".getBytes(rules.encoding().charset());
        int most = rules.maxBytes() > 0 ? Math.toIntExact(rules.maxBytes()) : USUAL_RECORD_BYTES;
        Optional<JsonRecord> envelope = rules.envelope().map(origin -> new JsonRecord(origin, batch.id()));
        try {
            List<Withheld> withheld = Records.each(raw, rules, most, envelope.isEmpty(), taken -> {
                if (envelope.isPresent()) {
                    output.put(envelope.get().line(taken));
                } else {
                    output.put(taken.raw());
                    if (!taken.isAll() && rules.tooLong() == RecordRules.TooLong.TRUNCATE) {
                        output.put(lineEnd);
                    }
                }
            });
            output.flush();
            return withheld;
        } catch (LinuxException e) {
            throw e;
        } catch (IOException e) {
            throw DeliveryException.transientFailure("cannot read the source: " + e.getMessage(), e);
        }
    }

    /** Where the bytes go, block by block; each compressed block is a frame of its own. */
    private final class Output {
        private final Fd file;
        private final Optional<Compression> compression;
        private final Optional<CRC32C> crc;

        /** For bytes that are put in small pieces. */
        private final MemorySegment block = Compression.block().at(0, Compression.BLOCK_BYTES);

        private int inBlock;
        private long at;

        Output(Fd file, long offset, Optional<Compression> compression, Optional<CRC32C> crc) {
            this.file = file;
            this.at = offset;
            this.compression = compression;
            this.crc = crc;
        }

        /** Takes as much of a block as makes a frame: a full one ends behind its last line, so that it can be read alone. */
        int putBlock(MemorySegment bytes) throws LinuxException {
            int length = (int) bytes.byteSize();
            if (length == Compression.BLOCK_BYTES) {
                long newline = Newlines.last(bytes, length);
                length = newline < 0 ? length : (int) newline + 1;
            }
            append(bytes.asSlice(0, length));
            return length;
        }

        /** Adds bytes that stay together in a block, if they fit in one. */
        void put(byte[] bytes) throws LinuxException {
            if (inBlock + bytes.length > block.byteSize()) {
                flush();
            }
            int done = 0;
            while (done < bytes.length) {
                int length = (int) Math.min(bytes.length - done, block.byteSize() - inBlock);
                MemorySegment.copy(bytes, done, block, JAVA_BYTE, inBlock, length);
                done += length;
                inBlock += length;
                if (inBlock == block.byteSize()) {
                    flush();
                }
            }
        }

        void flush() throws LinuxException {
            if (inBlock > 0) {
                append(block.asSlice(0, inBlock));
                inBlock = 0;
            }
        }

        private void append(MemorySegment bytes) throws LinuxException {
            MemorySegment made = compression.isPresent() ? compression.get().compress(bytes) : bytes;
            crc.ifPresent(sum -> sum.update(made.asByteBuffer()));
            files.pwriteFully(file, made, at);
            at += made.byteSize();
        }
    }
}
