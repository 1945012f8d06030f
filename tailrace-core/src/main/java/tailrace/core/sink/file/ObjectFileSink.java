package tailrace.core.sink.file;

import java.util.Optional;
import java.util.OptionalInt;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.manifest.Checksum;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileStatus;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * {@code layout: objects}. A file for each batch: written without a name (O_TMPFILE), made durable, and only then
 * named by linkat, which refuses a name that exists. So a reader never sees half an object, and a batch that is sent
 * again after a crash is found to be there: exactly once.
 */
final class ObjectFileSink extends FileSink {
    private static final String TEMPORARY_PREFIX = ".tailrace-";

    ObjectFileSink(SinkFolder folder, ManifestFile manifest, SinkProvider.Context context, int concurrency) {
        super(folder, manifest, context, new SinkTraits(false, false, 0, concurrency));
    }

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        try {
            Fd parent = folder.openParent(batch.key());
            try {
                LinuxPath name = batch.key().fileName();
                OptionalInt crc = files.status(parent, name).isPresent()
                        ? confirm(parent, name, content)
                        : put(parent, name, batch, content);
                var receipt = new Receipt(0, crc);
                manifest.add(batch, content, receipt);
                return receipt;
            } finally {
                files.close(parent);
            }
        } catch (LinuxException e) {
            throw folder.failure(e);
        }
    }

    private OptionalInt put(Fd parent, LinuxPath name, Batch batch, BatchContent content)
            throws LinuxException, SourceChangedException, DeliveryException {
        Optional<Fd> unnamed = openUnnamed(parent);
        LinuxPath temporary = LinuxPath.of(TEMPORARY_PREFIX + batch.id());
        Fd file = unnamed.isPresent() ? unnamed.get() : openNamed(parent, temporary);
        try {
            OptionalInt crc = content.transferTo(file, 0);
            folder.syncData(file);
            boolean named = unnamed.isPresent()
                    ? folder.names().link(file, parent, name)
                    : folder.names().renameNoReplace(parent, temporary, parent, name);
            if (!named) {
                return confirm(parent, name, content);
            }
            folder.syncFolder(parent);
            return crc;
        } finally {
            files.close(file);
            if (unnamed.isEmpty()) {
                folder.names().unlink(parent, temporary);
            }
        }
    }

    /** Empty where the filesystem does not know O_TMPFILE (NFS, some FUSE). */
    private Optional<Fd> openUnnamed(Fd parent) throws LinuxException {
        try {
            return files.open(parent, LinuxPath.of("."), OpenHow.temporary(SinkFolder.FILE_MODE));
        } catch (LinuxException e) {
            if (e.errno() == Errno.EOPNOTSUPP || e.errno() == Errno.EISDIR || e.errno() == Errno.EINVAL) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Fd openNamed(Fd parent, LinuxPath temporary) throws LinuxException {
        folder.names().unlink(parent, temporary); // left by an attempt that a crash cut short
        return files.open(parent, temporary, OpenHow.createNew(SinkFolder.FILE_MODE))
                .orElseThrow();
    }

    /** The name exists: delivered before, if length and checksum agree. */
    private OptionalInt confirm(Fd parent, LinuxPath name, BatchContent content)
            throws LinuxException, DeliveryException, SourceChangedException {
        Fd existing = files.open(parent, name, OpenHow.read().noFollow()).orElseThrow();
        try {
            content.prepare();
            FileStatus status = files.status(existing);
            if (status.sizeBytes() != content.lengthBytes()) {
                throw differs(name, "has " + status.sizeBytes() + " bytes and not " + content.lengthBytes());
            }
            folder.syncData(existing);
            folder.syncFolder(parent);
            if (context.integrity() == Integrity.LENGTH) {
                return OptionalInt.empty();
            }
            int found = Checksum.crc32c(files, existing, 0, status.sizeBytes());
            try {
                if (found != content.sum()) {
                    throw differs(name, "has other bytes");
                }
            } catch (SourceChangedException e) {
                // The source is gone, but an object is linked only when it is whole, and its key is nobody else's.
                return OptionalInt.of(found);
            }
            return OptionalInt.of(found);
        } finally {
            files.close(existing);
        }
    }

    private DeliveryException differs(LinuxPath name, String how) {
        return DeliveryException.refusal(
                folder.path().resolve(name) + " exists and " + how,
                "Something else wrote it: move it away, and the batch is delivered.");
    }
}
