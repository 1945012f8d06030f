package tailrace.core.sink.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.manifest.Archive;
import tailrace.core.manifest.FolderArchive;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/** What both layouts of the file sink stand on: the folder they write into and the manifest beside the data. */
abstract sealed class FileSink implements Sink permits AppendFileSink, ObjectFileSink {
    final SinkFolder folder;
    final ManifestFile manifest;
    final SinkProvider.Context context;
    final FileCalls files;
    private final SinkTraits traits;

    FileSink(SinkFolder folder, ManifestFile manifest, SinkProvider.Context context, SinkTraits traits) {
        this.folder = folder;
        this.manifest = manifest;
        this.context = context;
        this.files = folder.files();
        this.traits = traits;
    }

    @Override
    public SinkTraits traits() {
        return traits;
    }

    @Override
    public boolean putFinalManifest(LinuxPath key, byte[] lines) throws DeliveryException {
        try {
            folder.put(key, lines);
            return true;
        } catch (LinuxException e) {
            throw folder.failure(e);
        }
    }

    @Override
    public Optional<Archive> archive() throws IOException {
        return Optional.of(
                new FolderArchive(context.kernel(), Path.of(folder.path().toString())));
    }

    @Override
    public void close() {
        try {
            manifest.close();
        } catch (LinuxException e) {
            throw new IllegalStateException(e);
        }
    }
}
