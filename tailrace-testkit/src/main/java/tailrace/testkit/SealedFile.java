package tailrace.testkit;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tailrace.core.batch.Batch;
import tailrace.core.batch.BatchId;
import tailrace.core.batch.Extent;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Slice;
import tailrace.core.track.Guard;
import tailrace.core.track.Identification;
import tailrace.core.track.Route;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.core.watch.Glob;
import tailrace.core.watch.SafeOpen;
import tailrace.core.watch.Source;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** All of a file as a batch, for tests and measurements that talk to a sink without an engine. For one thread. */
public final class SealedFile implements AutoCloseable {
    private final Kernel kernel = new LinuxKernel();
    private final Arena arena = Arena.ofConfined();
    private final AlignedBuffer buffer = new AlignedBuffer(arena, BatchContent.BUFFER_BYTES);
    private final Fd fd;
    private final Batch batch;
    private final Source source;

    /**
     * Opens a file.
     *
     * @param partition the batch's; sinks with lanes have one for each
     * @param sequence of the batch's id
     */
    public SealedFile(Path file, String partition, long sequence) throws LinuxException {
        LinuxPath path = LinuxPath.of(file.toAbsolutePath().toString());
        this.source = new Source(
                "app",
                List.of(new Glob(file.toAbsolutePath().toString())),
                List.of(),
                false,
                Framing.LINES,
                Encoding.UTF_8,
                Map.of());
        this.fd =
                kernel.files().open(Fd.CURRENT_DIRECTORY, path, OpenHow.read()).orElseThrow();
        FileStatus status = kernel.files().status(fd);
        var extent = new Extent(
                1,
                new Identification(kernel.files()).identify(fd, status),
                path,
                0,
                0,
                status.sizeBytes(),
                0,
                Guard.at(kernel.files(), fd, 0, buffer),
                Guard.at(kernel.files(), fd, status.sizeBytes(), buffer));
        this.batch = new Batch(
                new BatchId("7e57ab1e", 1, sequence),
                new Route(0, "app>sink", source),
                partition,
                LinuxPath.of("app/testhost-" + sequence),
                List.of(extent),
                Instant.parse("2026-11-21T04:00:00Z"));
    }

    public Batch batch() {
        return batch;
    }

    /** Its bytes, to be lent to a sink. */
    public BatchContent content() {
        var slice =
                new Slice(batch.extents().getFirst(), batch.extents().getFirst().path(), Optional.of(fd));
        return new BatchContent(
                kernel, new SafeOpen(kernel.files(), List.of(source)), List.of(slice), Integrity.CRC32C, buffer);
    }

    @Override
    public void close() throws LinuxException {
        kernel.files().close(fd);
        arena.close();
    }
}
