package tailrace.core.deliver;

import java.util.List;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.linux.LinuxPath;

/** What became of a batch that was carried. */
public sealed interface Outcome {
    Batch batch();

    /**
     * The sink holds it.
     *
     * @param lengthBytes of what it holds
     */
    record Delivered(Batch batch, Receipt receipt, long lengthBytes) implements Outcome {}

    /**
     * A resumable sink told how long the key's content is. The batch waits for {@link Couriers#keyIsRemembered}, since
     * the length must be durable before anything is written behind it.
     */
    record KeyOpened(Batch batch, long lengthBytes) implements Outcome {}

    /** The sink has rejected it for good, and its bytes are in the folder for dead letters. */
    record DeadLettered(Batch batch, LinuxPath letter, String why) implements Outcome {}

    /** Some of its bytes are gone; nothing was committed, and it will not be tried again under its id. */
    record SourceChanged(Batch batch, List<Extent> gone) implements Outcome {}
}
