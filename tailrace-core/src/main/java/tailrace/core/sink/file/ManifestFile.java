package tailrace.core.sink.file;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.manifest.Archive;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.linux.Fd;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * {@code _tailrace/manifests/<host>-<ledger>.jsonl}: a line for each batch, written before the batch counts as
 * delivered. What a crash or a full disk left of a line is ended by an empty one.
 */
final class ManifestFile {
    private final SinkFolder folder;
    private final SinkProvider.Context context;
    private final LinuxPath name;
    private @Nullable Fd file;

    /** Whether the file may end within a line: after a crash, or a disk that was full. */
    private boolean mayBeTorn;

    ManifestFile(SinkFolder folder, SinkProvider.Context context) {
        this.folder = folder;
        this.context = context;
        this.name = Archive.manifestKey(context.host(), context.ledger());
    }

    /** @param content what the key holds of the batch */
    void add(Batch batch, BatchContent content, Receipt receipt) throws LinuxException {
        write(ManifestEntry.of(
                context.host(),
                batch,
                receipt.position(),
                content.lengthBytes(),
                receipt.crc32c(),
                content.withheld()));
    }

    /** What the key holds behind a position is about to be cut off, whatever was said of it before. */
    void addCut(Batch batch, long position) throws LinuxException {
        write(new ManifestEntry(
                batch.id().toString(),
                context.host(),
                batch.route().source().name(),
                batch.key(),
                position,
                0,
                OptionalInt.empty(),
                "",
                "",
                batch.sealedAt(),
                List.of()));
    }

    private void write(ManifestEntry entry) throws LinuxException {
        folder.syncData(append(ManifestCodec.toLine(entry)));
    }

    /** Lines of several couriers do not mix, even if one takes several writes. */
    private synchronized Fd append(byte[] line) throws LinuxException {
        Fd fd = open();
        try (Arena arena = Arena.ofConfined()) {
            if (mayBeTorn) {
                folder.files().writeFully(fd, arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) '\n'));
            }
            mayBeTorn = true;
            folder.files().writeFully(fd, arena.allocateFrom(ValueLayout.JAVA_BYTE, line));
            mayBeTorn = false;
        }
        return fd;
    }

    private Fd open() throws LinuxException {
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
            mayBeTorn = folder.files().status(opened).sizeBytes() > 0;
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
