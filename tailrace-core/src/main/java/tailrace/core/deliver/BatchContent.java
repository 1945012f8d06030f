package tailrace.core.deliver;

import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.CRC32C;
import tailrace.core.batch.Extent;
import tailrace.core.track.Guard;
import tailrace.core.track.Withheld;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;

/**
 * A sealed batch as bytes, lent to a sink for one delivery. Move all of them, by {@link #transferTo(Fd, long)} or
 * {@link #transferTo(Fd)}, as often as needed: each time the files are checked afterwards to be still what was sealed,
 * and only then does the call return.
 */
public final class BatchContent {
    /** Fits the second-level cache with room to spare; 64 to 256 KiB measured best. */
    public static final int BUFFER_BYTES = 128 * 1024;

    /** sendfile and copy_file_range move at most this much at a time, so that a stop is noticed. */
    private static final long STEP_BYTES = 16L << 20;

    /** So many are summed before the kernel sends them. */
    private static final long SUMMED_STEP_BYTES = 1L << 20;

    private static final int GUARD_BUFFER_BYTES = 8 * 1024;

    private final Kernel kernel;
    private final FileCalls files;
    private final SafeOpen open;
    private final Optional<Preparation> preparation;

    /** What is lent: the batch's, or of what was {@linkplain #prepare prepared}. */
    private List<Slice> slices;

    private Optional<Preparation.Made> made = Optional.empty();
    private Optional<Fd> prepared = Optional.empty();
    private final Integrity integrity;
    private final AlignedBuffer buffer;
    private final SliceAccess access;
    private final CRC32C crc = new CRC32C();

    /** Bytes as they are in the files. */
    public BatchContent(Kernel kernel, SafeOpen open, List<Slice> slices, Integrity integrity, AlignedBuffer buffer) {
        this(kernel, open, slices, Optional.empty(), integrity, buffer);
    }

    /** @param preparation makes other bytes of the slices; empty if they are lent as they are */
    BatchContent(
            Kernel kernel,
            SafeOpen open,
            List<Slice> slices,
            Optional<Preparation> preparation,
            Integrity integrity,
            AlignedBuffer buffer) {
        this.kernel = kernel;
        this.files = kernel.files();
        this.open = open;
        this.access = new SliceAccess(files, open, buffer);
        this.slices = List.copyOf(slices);
        this.preparation = preparation;
        this.integrity = integrity;
        this.buffer = buffer;
    }

    /**
     * How many there are.
     *
     * @throws IllegalStateException if they are made on their way, and nobody has asked for them: see {@link #prepare}
     */
    public long lengthBytes() {
        if (preparation.isPresent()) {
            return made.orElseThrow(() -> new IllegalStateException("the bytes are not made yet"))
                    .lengthBytes();
        }
        return slices.stream().mapToLong(slice -> slice.extent().lengthBytes()).sum();
    }

    /**
     * Makes the bytes that would else be made on their way into a file (compressed, filtered, ...), so that they can be
     * counted, sent in parts, and sent again. Nothing is done for bytes that are lent as they are.
     *
     * @throws LinuxException ENOSPC, EIO, ...: there is no room for them
     * @throws DeliveryException a record is too long, and that is an error
     */
    public void prepare() throws LinuxException, DeliveryException, SourceChangedException {
        if (preparation.isEmpty() || prepared.isPresent()) {
            return;
        }
        Fd file = preparation.get().unnamedFile();
        prepared = Optional.of(file);
        Preparation.Made done = preparation.get().write(file, 0, Integrity.LENGTH);
        made = Optional.of(done);
        slices = slicesOf(file, done.lengthBytes());
    }

    private List<Slice> slicesOf(Fd file, long length) throws LinuxException {
        if (length == 0) {
            return List.of();
        }
        Extent first = slices.getFirst().extent();
        int guard = Guard.at(files, file, length, buffer);
        var all = new Extent(first.file(), first.identity(), first.path(), 0, 0, length, 0, 0, guard);
        return List.of(new Slice(all, first.path(), prepared));
    }

    /** Gives back what {@link #prepare} took. */
    void close() throws LinuxException {
        if (prepared.isPresent()) {
            files.close(prepared.get());
        }
    }

    /** Where the bytes come from, in order. */
    public List<Slice> slices() {
        return slices;
    }

    /** What of the batch these bytes leave out, extent by extent; empty if that is nothing. */
    public List<Withheld> withheld() {
        return made.map(Preparation.Made::withheld).orElse(List.of());
    }

    /** Moves one extent's bytes. */
    private interface Mover {
        void move(Fd from, Extent extent) throws LinuxException;
    }

    /**
     * Writes all bytes into a file.
     *
     * @param offset where the first byte goes
     * @return their CRC32C, if it was asked for
     * @throws LinuxException ENOSPC, EIO, ...: of the file written to
     * @throws DeliveryException a record is too long, and that is an error
     */
    public OptionalInt transferTo(Fd file, long offset)
            throws LinuxException, DeliveryException, SourceChangedException {
        if (preparation.isPresent() && prepared.isEmpty()) {
            Preparation.Made done = preparation.get().write(file, offset, integrity);
            made = Optional.of(done);
            return done.crc32c();
        }
        var at = new long[] {offset};
        var copier = new FileCopier(kernel.copies(), files, buffer, file, integrity, crc);
        return moveAll((from, extent) -> {
            copier.copy(from, extent.from(), at[0], extent.lengthBytes());
            at[0] += extent.lengthBytes();
        });
    }

    /**
     * Writes all bytes into a socket or pipe, by sendfile; those that are summed are still in the processor's cache then.
     *
     * @return their CRC32C, if it was asked for
     * @throws LinuxException EPIPE, ECONNRESET, ETIMEDOUT: of the descriptor written to
     */
    public OptionalInt transferTo(Fd stream) throws LinuxException, SourceChangedException {
        return moveAll((from, extent) -> {
            long at = extent.from();
            long n = 1;
            while (at < extent.to() && n > 0) {
                long step = integrity == Integrity.CRC32C
                        ? sum(from, at, Math.min(extent.to(), at + SUMMED_STEP_BYTES))
                        : Math.min(extent.to() - at, STEP_BYTES);
                n = sendAll(stream, from, at, at + step) - at;
                at += n; // none if it is shorter than it was, which is found out by the check that follows
            }
        });
    }

    private long sendAll(Fd stream, Fd from, long start, long end) throws LinuxException {
        long at = start;
        while (at < end) {
            long n = kernel.copies().sendfile(stream, from, at, end - at);
            if (n < 0) {
                throw new LinuxException("sendfile", Errno.ETIMEDOUT, "the peer does not take any bytes");
            }
            if (n == 0) {
                break;
            }
            at += n;
        }
        return at;
    }

    /** Adds bytes to the checksum; returns how many there were. */
    private long sum(Fd from, long start, long end) throws LinuxException {
        long at = start;
        long n = 1;
        while (at < end && n > 0) {
            MemorySegment view = buffer.at(at, Math.min(end - at, buffer.capacityBytes()));
            n = files.pread(from, view, at);
            crc.update(view.asSlice(0, n).asByteBuffer());
            at += n;
        }
        return at - start;
    }

    /**
     * The bytes {@code [from, to)} of the batch, for a client that pulls them. Several streams may be read at once, each by
     * one thread; the last bytes of each come only if the files are still what was sealed, or else an IOException whose
     * cause is a {@link SourceChangedException}.
     */
    public InputStream stream(long from, long to) {
        var scratch = new AlignedBuffer(Arena.ofAuto(), GUARD_BUFFER_BYTES);
        return new BatchStream(files, new SliceAccess(files, open, scratch), slices, from, to);
    }

    /**
     * CRC32Cs of a batch.
     *
     * @param whole of all its bytes
     * @param parts of its parts, in order
     */
    public record Sums(int whole, List<Integer> parts) {
        public Sums {
            parts = List.copyOf(parts);
        }
    }

    /** Sums all bytes, which go nowhere, and those of each part, which all but the last are so long. */
    public Sums sums(long partBytes) throws LinuxException, SourceChangedException {
        var parts = new ArrayList<Integer>();
        var part = new CRC32C();
        var summed = new long[1];
        moveAll((from, extent) -> {
            long at = extent.from();
            while (at < extent.to()) {
                long left = Math.min(extent.to() - at, partBytes - summed[0] % partBytes);
                MemorySegment view = buffer.at(at, Math.min(left, buffer.capacityBytes()));
                int n = files.pread(from, view, at);
                if (n == 0) {
                    return; // shorter than it was: the check that follows finds out
                }
                crc.update(view.asSlice(0, n).asByteBuffer());
                part.update(view.asSlice(0, n).asByteBuffer());
                at += n;
                summed[0] += n;
                if (summed[0] % partBytes == 0) {
                    parts.add((int) part.getValue());
                    part.reset();
                }
            }
        });
        if (summed[0] % partBytes > 0) {
            parts.add((int) part.getValue());
        }
        return new Sums((int) crc.getValue(), parts);
    }

    /** Gets bytes, and says how many of them it took: at least one. The others come again, with those behind them. */
    interface Reader {
        int take(MemorySegment bytes) throws LinuxException;
    }

    /** Lends all bytes, in order, as many at a time as the buffer holds. */
    void read(Reader reader) throws LinuxException, SourceChangedException {
        moveAll((from, extent) -> {
            long at = extent.from();
            while (at < extent.to()) {
                MemorySegment view = buffer.at(at, Math.min(extent.to() - at, buffer.capacityBytes()));
                int n = files.preadFully(from, view, at);
                if (n == 0) {
                    return; // shorter than it was: the check that follows finds out
                }
                at += reader.take(view.asSlice(0, n));
            }
        });
    }

    /** The CRC32C of all bytes, which go nowhere. */
    public int sum() throws LinuxException, SourceChangedException {
        return moveAll((from, extent) -> sum(from, extent.from(), extent.to())).orElse((int) crc.getValue());
    }

    private OptionalInt moveAll(Mover mover) throws LinuxException, SourceChangedException {
        crc.reset();
        var changed = new ArrayList<Extent>();
        for (Slice slice : slices) {
            if (changed.isEmpty()) {
                move(slice, mover, changed);
            } else if (!access.isThere(slice)) {
                changed.add(slice.extent());
            }
        }
        if (!changed.isEmpty()) {
            throw new SourceChangedException(changed);
        }
        return integrity == Integrity.CRC32C ? OptionalInt.of((int) crc.getValue()) : OptionalInt.empty();
    }

    private void move(Slice slice, Mover mover, List<Extent> changed) throws LinuxException {
        Fd fd = access.reach(slice);
        if (fd == null || files.status(fd).sizeBytes() < slice.extent().to()) {
            access.release(slice, fd);
            changed.add(slice.extent());
            return;
        }
        try {
            mover.move(fd, slice.extent());
            if (!access.isWhole(fd, slice.extent())) {
                changed.add(slice.extent());
            }
        } finally {
            access.release(slice, fd);
        }
    }
}
