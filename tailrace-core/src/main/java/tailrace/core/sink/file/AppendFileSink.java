package tailrace.core.sink.file;

import java.util.OptionalInt;
import tailrace.core.Event;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.linux.Fd;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * {@code layout: append}. One growing file per key. The ledger remembers how long each is; what a crash left behind that
 * is cut off before the same bytes are written again: exactly once.
 */
final class AppendFileSink extends FileSink {
    AppendFileSink(SinkFolder folder, ManifestFile manifest, SinkProvider.Context context, int concurrency) {
        super(folder, manifest, context, new SinkTraits(true, true, 0, concurrency));
    }

    @Override
    public long lengthOf(LinuxPath key) throws DeliveryException {
        try {
            Fd file = open(key);
            try {
                return files.status(file).sizeBytes();
            } finally {
                files.close(file);
            }
        } catch (LinuxException e) {
            throw folder.failure(e);
        }
    }

    private Fd open(LinuxPath key) throws LinuxException {
        Fd parent = folder.openParent(key);
        try {
            boolean exists = files.status(parent, key.fileName()).isPresent();
            Fd file = files.open(parent, key.fileName(), OpenHow.create(SinkFolder.FILE_MODE))
                    .orElseThrow();
            if (!exists) {
                folder.syncFolder(parent);
            }
            return file;
        } finally {
            files.close(parent);
        }
    }

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        try {
            Fd file = open(batch.key());
            try {
                long at = makeRoom(file, batch, position);
                OptionalInt crc;
                try {
                    crc = content.transferTo(file, at);
                } catch (SourceChangedException | DeliveryException e) {
                    files.ftruncate(file, at);
                    throw e;
                }
                folder.syncData(file);
                var receipt = new Receipt(at, crc);
                manifest.add(batch, content, receipt);
                return receipt;
            } finally {
                files.close(file);
            }
        } catch (LinuxException e) {
            throw folder.failure(e);
        }
    }

    /**
     * Cuts off what an attempt left that never counted.
     *
     * @return where to write
     */
    private long makeRoom(Fd file, Batch batch, long position) throws LinuxException {
        long length = files.status(file).sizeBytes();
        if (length > position) {
            manifest.addCut(batch, position); // the attempt may have come so far that it has a line there
            files.ftruncate(file, position);
        } else if (length < position) {
            context.log()
                    .report(
                            Event.SINK_SHRANK,
                            folder.path().resolve(batch.key()),
                            "it has " + length + " bytes where " + position
                                    + " were delivered; somebody else cut it, or its disk lost them. Going on at its"
                                    + " end.");
            return length;
        }
        return position;
    }
}
