package tailrace.core.store;

import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.SourceChangedException;
import tailrace.linux.LinuxPath;

/**
 * A store that makes objects, whole or not at all, and does not overwrite them: what S3, GCS and Azure have in common.
 * Keys are below the sink's prefix. Called by several threads at once. Failures are told as sinks tell them.
 *
 * <p>A store is done when its test that extends the testkit's {@code ObjectStoreContract} is green.
 */
public interface ObjectStore extends AutoCloseable {
    /**
     * An object.
     *
     * @param crc32c of all its bytes, if the store knows it
     */
    record Found(long lengthBytes, OptionalInt crc32c) {}

    /** A prefix of keys as the folder that it names: with a slash behind it, if it is not empty. */
    static String folder(String prefix) {
        return prefix.isEmpty() || prefix.endsWith("/") ? prefix : prefix + "/";
    }

    /** Where it is, for people: {@code s3://bucket/prefix/}. */
    String name();

    /** What is twice this long and longer is sent in parts of it. */
    long partBytes();

    /** No object can have more. */
    long mostBytes();

    /** Whether a key that exists is refused; if not, it is overwritten. */
    boolean isCreateOnly();

    /**
     * Makes an object of a batch.
     *
     * @param batch its id, to be kept with the object
     * @param sums CRC32Cs, of each part too if it is sent in parts: what arrives otherwise must not become an object
     * @return false if the key exists
     */
    boolean create(LinuxPath key, String batch, BatchContent content, Optional<BatchContent.Sums> sums)
            throws DeliveryException, SourceChangedException;

    /**
     * Takes back what an attempt that was cut short has left under a key, where that would stay for ever: the batch's bytes
     * are gone.
     */
    default void abandon(LinuxPath key) throws DeliveryException {}

    /**
     * Makes a small object.
     *
     * @return false if the key exists
     */
    boolean create(LinuxPath key, byte[] bytes) throws DeliveryException;

    /** What is there under a key. */
    Optional<Found> find(LinuxPath key) throws DeliveryException;

    /** All keys that begin so. */
    List<LinuxPath> list(String beginning) throws DeliveryException;

    /** The bytes {@code [from, to)} of an object, or as many of them as it has. */
    InputStream read(LinuxPath key, long from, long to) throws DeliveryException;

    /** The Date header of the last answer about a small object, to compare clocks; empty if there was none. */
    Optional<String> date();

    @Override
    void close();
}
