package tailrace.sink.kafka;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.KafkaException;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.linux.LinuxPath;

/**
 * A record a line, a transaction a batch (KIP-98). Whoever reads with {@code isolation.level=read_committed} sees each
 * batch once, or not yet: the transaction holds the batch's id, too, in a {@linkplain Progress compacted topic}, by which
 * a delivery whose end was not heard of is recognised.
 */
final class KafkaSink implements Sink {
    private final SettingValues values;
    private final SinkProvider.Context context;
    private final ConcurrentHashMap<String, Lane> lanes = new ConcurrentHashMap<>();

    KafkaSink(SettingValues values, SinkProvider.Context context) {
        this.values = values;
        this.context = context;
    }

    @Override
    public SinkTraits traits() {
        int count = values.integer("lanes");
        return new SinkTraits(false, true, count, count);
    }

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        String name = "tailrace-" + context.ledger() + "-" + batch.route().name() + "-" + batch.lane();
        return lanes.computeIfAbsent(name, n -> new Lane(n, values, context)).deliver(batch, content);
    }

    @Override
    public boolean putFinalManifest(LinuxPath key, byte[] lines) throws DeliveryException {
        try {
            FinalManifest.put(values, key.toString(), lines);
            return true;
        } catch (IOException | KafkaException e) {
            throw Failures.explain(values, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DeliveryException.transientFailure(key + ": interrupted", e);
        }
    }

    @Override
    public List<Finding> check() {
        try {
            return Checkup.of(values);
        } catch (IOException e) {
            return List.of(Finding.fail(String.valueOf(e.getMessage())));
        }
    }

    @Override
    public void close() {
        lanes.values().forEach(Lane::close);
    }
}
