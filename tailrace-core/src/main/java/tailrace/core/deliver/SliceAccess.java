package tailrace.core.deliver;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tailrace.core.batch.Extent;
import tailrace.core.track.Guard;
import tailrace.core.track.Identification;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileStatus;
import tailrace.linux.LinuxException;
import tailrace.linux.OpenHow;

/** How a batch's files are reached, and whether they are still what was sealed. For one thread. */
final class SliceAccess {
    private final FileCalls files;
    private final SafeOpen open;
    private final AlignedBuffer buffer;
    private final Identification identification;

    /** @param buffer scratch space of the calling thread, for guards */
    SliceAccess(FileCalls files, SafeOpen open, AlignedBuffer buffer) {
        this.files = files;
        this.open = open;
        this.buffer = buffer;
        this.identification = new Identification(files);
    }

    /** The slice's descriptor, or one opened for it by name if the name is still that file's; to be released. */
    @Nullable
    Fd reach(Slice slice) throws LinuxException {
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

    /** Ends what {@link #reach} began. */
    void release(Slice slice, @Nullable Fd fd) throws LinuxException {
        if (fd != null && slice.fd().isEmpty()) {
            files.close(fd);
        }
    }

    boolean isWhole(Fd fd, Extent extent) throws LinuxException {
        return files.status(fd).sizeBytes() >= extent.to()
                && Guard.at(files, fd, extent.to(), buffer) == extent.guard();
    }

    /** Whether the file can be reached and is what was sealed. */
    boolean isThere(Slice slice) throws LinuxException {
        Fd fd = reach(slice);
        try {
            return fd != null && isWhole(fd, slice.extent());
        } finally {
            release(slice, fd);
        }
    }
}
