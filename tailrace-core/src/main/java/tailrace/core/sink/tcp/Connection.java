package tailrace.core.sink.tcp;

import java.io.IOException;
import java.util.OptionalInt;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.SourceChangedException;

/** To a peer. For one thread at a time; one that has failed is closed and not used again. */
interface Connection {
    /** Sends all of these bytes. */
    void send(byte[] bytes) throws IOException;

    /**
     * Sends a batch.
     *
     * @return its CRC32C, if it was asked for
     */
    OptionalInt send(BatchContent content) throws IOException, SourceChangedException;

    /** Waits for so many bytes. */
    byte[] receive(int length) throws IOException;

    /** Sent, and not yet acknowledged by the peer's kernel. */
    int unacknowledgedBytes() throws IOException;

    void close();
}
