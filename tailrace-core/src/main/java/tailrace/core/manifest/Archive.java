package tailrace.core.manifest;

import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import tailrace.linux.LinuxPath;

/** What a sink holds, for an audit: its manifests, and the objects that they speak of. Changes nothing. */
public interface Archive extends AutoCloseable {
    /** Where {@link #manifests} lie, in any archive. */
    String MANIFESTS = "_tailrace/manifests/";

    /**
     * Where a manifest lies.
     *
     * @param id of what writes it: a ledger, or a batch that has one of its own
     */
    static LinuxPath manifestKey(String host, String id) {
        return LinuxPath.of(MANIFESTS + host.replace('/', '_') + "-" + id + ".jsonl");
    }

    /** Where {@link #finalManifests} lie, in any archive. */
    String FINAL_MANIFESTS = "_tailrace/final/";

    /**
     * Where a final manifest lies.
     *
     * @param id of what writes it, different each time
     */
    static LinuxPath finalManifestKey(String host, String source, String id) {
        return LinuxPath.of(FINAL_MANIFESTS + host.replace('/', '_') + "-" + source + "-" + id + ".jsonl");
    }

    /**
     * Lines of manifest that were written one after another.
     *
     * @param name of what holds them, for messages
     */
    record Manifest(String name, List<String> lines) {
        public Manifest {
            lines = List.copyOf(lines);
        }
    }

    /** What this is, for a person. */
    String name();

    /**
     * All manifests.
     *
     * @throws IOException if there are none, or they cannot be read; the message is for a person
     */
    List<Manifest> manifests() throws IOException;

    /** Lists of what was pending when agents were told to stop. */
    List<Manifest> finalManifests() throws IOException;

    /** How long an object is; empty if it is not there. */
    OptionalLong lengthOf(LinuxPath key) throws IOException;

    /** The CRC32C of a part of an object, read anew; empty if it has ended before. */
    OptionalInt crc32c(LinuxPath key, long position, long lengthBytes) throws IOException;

    @Override
    void close() throws IOException;
}
