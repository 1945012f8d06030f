package tailrace.core.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.manifest.Archive;
import tailrace.linux.LinuxPath;

/** What an object store holds, for an audit. */
record StoreArchive(ObjectStore store) implements Archive {
    private static final int BUFFER_BYTES = 128 * 1024;

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public List<Manifest> manifests() throws IOException {
        List<Manifest> all = read(MANIFESTS);
        if (all.isEmpty()) {
            throw new IOException("there are no manifests in " + name() + MANIFESTS + ": is this where a sink writes?");
        }
        return all;
    }

    @Override
    public List<Manifest> finalManifests() throws IOException {
        return read(FINAL_MANIFESTS);
    }

    private List<Manifest> read(String folder) throws IOException {
        try {
            var all = new ArrayList<Manifest>();
            for (LinuxPath key : store.list(folder)) {
                try (InputStream in = store.read(key, 0, Long.MAX_VALUE)) {
                    String text = new String(in.readAllBytes(), UTF_8);
                    all.add(new Manifest(key.toString(), List.of(text.split("\n", -1))));
                }
            }
            return all;
        } catch (DeliveryException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public OptionalLong lengthOf(LinuxPath key) throws IOException {
        try {
            return store.find(key).stream()
                    .mapToLong(ObjectStore.Found::lengthBytes)
                    .findFirst();
        } catch (DeliveryException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public OptionalInt crc32c(LinuxPath key, long position, long lengthBytes) throws IOException {
        try (InputStream in = store.read(key, position, position + lengthBytes)) {
            var crc = new CRC32C();
            byte[] buffer = new byte[BUFFER_BYTES];
            long read = 0;
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                crc.update(buffer, 0, n);
                read += n;
            }
            return read == lengthBytes ? OptionalInt.of((int) crc.getValue()) : OptionalInt.empty();
        } catch (DeliveryException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() {} // the store is the sink's
}
