package tailrace.core.deliver;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import tailrace.core.batch.Extent;
import tailrace.core.track.Guard;
import tailrace.core.track.Identification;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.OpenHow;

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

    private final Kernel kernel;
    private final FileCalls files;
    private final SafeOpen open;
    private final List<Slice> slices;
    private final Integrity integrity;
    private final AlignedBuffer buffer;
    private final Identification identification;
    private final CRC32C crc = new CRC32C();

    public BatchContent(Kernel kernel, SafeOpen open, List<Slice> slices, Integrity integrity, AlignedBuffer buffer) {
        this.kernel = kernel;
        this.files = kernel.files();
        this.open = open;
        this.identification = new Identification(files);
        this.slices = List.copyOf(slices);
        this.integrity = integrity;
        this.buffer = buffer;
    }

    public long lengthBytes() {
        return slices.stream().mapToLong(slice -> slice.extent().lengthBytes()).sum();
    }

    /** Where the bytes come from, in order. */
    public List<Slice> slices() {
        return slices;
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
     */
    public OptionalInt transferTo(Fd file, long offset) throws LinuxException, SourceChangedException {
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
            } else if (!isThere(slice)) {
                changed.add(slice.extent());
            }
        }
        if (!changed.isEmpty()) {
            throw new SourceChangedException(changed);
        }
        return integrity == Integrity.CRC32C ? OptionalInt.of((int) crc.getValue()) : OptionalInt.empty();
    }

    private void move(Slice slice, Mover mover, List<Extent> changed) throws LinuxException {
        Fd fd = reach(slice);
        if (fd == null || files.status(fd).sizeBytes() < slice.extent().to()) {
            release(slice, fd);
            changed.add(slice.extent());
            return;
        }
        try {
            mover.move(fd, slice.extent());
            if (!isWhole(fd, slice.extent())) {
                changed.add(slice.extent());
            }
        } finally {
            release(slice, fd);
        }
    }

    private boolean isThere(Slice slice) throws LinuxException {
        Fd fd = reach(slice);
        try {
            return fd != null && isWhole(fd, slice.extent());
        } finally {
            release(slice, fd);
        }
    }

    private boolean isWhole(Fd fd, Extent extent) throws LinuxException {
        return files.status(fd).sizeBytes() >= extent.to()
                && Guard.at(files, fd, extent.to(), buffer) == extent.guard();
    }

    /** The slice's descriptor, or one opened for it by name if the name is still that file's. */
    private @Nullable Fd reach(Slice slice) throws LinuxException {
        if (slice.fd().isPresent()) {
            return slice.fd().get();
        }
        Optional<Fd> opened = open.open(slice.path(), OpenHow.read());
        if (opened.isEmpty()) {
            return null;
        }
        FileStatus status = files.status(opened.get());
        if (identification.identify(opened.get(), status).equals(slice.extent().identity())) {
            return opened.get();
        }
        files.close(opened.get());
        return null;
    }

    private void release(Slice slice, @Nullable Fd fd) throws LinuxException {
        if (fd != null && slice.fd().isEmpty()) {
            files.close(fd);
        }
    }
}
