package tailrace.core.sink.file;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.linux.Fd;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * {@code _tailrace/manifests/<host>-<ledger>.jsonl}: a line for each batch, written before the batch counts as
 * delivered. Each line is one write to a file opened with O_APPEND, so lines of several couriers do not mix.
 */
final class ManifestFile {
    static final String FOLDER = "_tailrace/manifests";

    private final SinkFolder folder;
    private final SinkProvider.Context context;
    private final LinuxPath name;
    private @Nullable Fd file;

    ManifestFile(SinkFolder folder, SinkProvider.Context context) {
        this.folder = folder;
        this.context = context;
        this.name = LinuxPath.of(FOLDER + "/" + context.host().replace('/', '_') + "-" + context.ledger() + ".jsonl");
    }

    void add(Batch batch, Receipt receipt) throws LinuxException {
        List<ManifestEntry.Part> parts =
                batch.extents().stream().map(ManifestFile::part).toList();
        byte[] line = ManifestCodec.toLine(new ManifestEntry(
                batch.id().toString(),
                context.host(),
                batch.route().source().name(),
                batch.key(),
                receipt.position(),
                batch.lengthBytes(),
                receipt.crc32c(),
                batch.sealedAt(),
                parts));
        Fd fd = open();
        try (Arena arena = Arena.ofConfined()) {
            int written = folder.files().write(fd, arena.allocateFrom(ValueLayout.JAVA_BYTE, line));
            if (written < line.length) {
                throw new LinuxException("write", tailrace.linux.Errno.ENOSPC, name.toString());
            }
        }
        folder.syncData(fd);
    }

    private static ManifestEntry.Part part(Extent extent) {
        return new ManifestEntry.Part(
                extent.path(), extent.identity().toString(), extent.epoch(), extent.from(), extent.to());
    }

    private synchronized Fd open() throws LinuxException {
        Fd opened = file;
        if (opened != null && folder.files().status(opened).links() > 0) {
            return opened;
        }
        close();
        Fd parent = folder.openParent(name);
        try {
            opened = folder.files()
                    .open(parent, name.fileName(), OpenHow.append(SinkFolder.FILE_MODE))
                    .orElseThrow();
            folder.syncFolder(parent);
            file = opened;
            return opened;
        } finally {
            folder.files().close(parent);
        }
    }

    synchronized void close() throws LinuxException {
        Fd opened = file;
        if (opened != null) {
            file = null;
            folder.files().close(opened);
        }
    }
}
