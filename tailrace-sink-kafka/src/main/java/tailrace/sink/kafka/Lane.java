package tailrace.sink.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import tailrace.core.batch.Batch;
import tailrace.core.batch.KeyTemplate;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.JsonRecord;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.Records;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.Slice;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.deliver.Taken;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.core.track.Withheld;
import tailrace.linux.LinuxPath;

/**
 * One producer with a transactional id of its own: batches come one at a time. Whenever it is not known how a
 * transaction ended, the producer is thrown away; the next one fences it, waits for the end, and reads which batch was
 * committed last: only the one that is tried again can be it.
 */
final class Lane {
    private static final LinuxPath ROOT = LinuxPath.of("/");

    private final String name;
    private final SettingValues values;
    private final SinkProvider.Context context;
    private final KeyTemplate recordKey;
    private final Progress progress;
    private final String topic;

    private @Nullable Producer<byte[], byte[]> producer;
    private @Nullable ManifestEntry last;

    Lane(String name, SettingValues values, SinkProvider.Context context) {
        this.name = name;
        this.values = values;
        this.context = context;
        this.recordKey = new KeyTemplate(values.string("record_key").isEmpty() ? "-" : values.string("record_key"));
        this.progress = new Progress(values);
        this.topic = values.string("topic");
    }

    synchronized Receipt deliver(Batch batch, BatchContent content) throws DeliveryException, SourceChangedException {
        try {
            Producer<byte[], byte[]> open = open();
            ManifestEntry committed = last;
            if (committed == null || !committed.batch().equals(batch.id().toString())) {
                committed = transaction(open, batch, content);
                last = committed;
            }
            return new Receipt(0, committed.crc32c(), withheld(committed));
        } catch (SourceChangedException | DeliveryException e) {
            abandon();
            throw e;
        } catch (IOException | KafkaException e) {
            abandon();
            throw Failures.explain(values, e);
        } catch (InterruptedException e) {
            abandon();
            Thread.currentThread().interrupt();
            throw DeliveryException.transientFailure(topic + ": interrupted", e);
        }
    }

    /** As the transaction's own manifest says, which may be an earlier attempt's. */
    private static List<Withheld> withheld(ManifestEntry committed) {
        List<Withheld> all =
                committed.extents().stream().map(ManifestEntry.Part::withheld).toList();
        return all.stream().allMatch(Withheld::isNothing) ? List.of() : all;
    }

    private Producer<byte[], byte[]> open() throws IOException, InterruptedException {
        Producer<byte[], byte[]> known = producer;
        if (known != null) {
            return known;
        }
        progress.make();
        Producer<byte[], byte[]> fresh = new KafkaProducer<>(ClientProperties.producer(values, name));
        producer = fresh;
        fresh.initTransactions();
        last = progress.last(name).orElse(null);
        return fresh;
    }

    private ManifestEntry transaction(Producer<byte[], byte[]> open, Batch batch, BatchContent content)
            throws IOException, DeliveryException, SourceChangedException {
        open.beginTransaction();
        List<Withheld> withheld = Records.each(
                content, batch.rules(), Math.toIntExact(values.sizeBytes("max_record")), new Sender(open, batch));
        var entry = ManifestEntry.of(context.host(), batch, 0, batch.lengthBytes(), OptionalInt.empty(), withheld);
        open.send(progress.record(open, name, ManifestCodec.toLine(entry)));
        open.commitTransaction();
        return entry;
    }

    /**
     * Makes each record of a batch one of Kafka's. The producer bounds what waits by its compressed bytes, and keeps some
     * objects for each record: so we bound it by the records, too.
     */
    private final class Sender implements Records.Taker {
        private static final int MARK_BYTES = 1 << 20;
        private static final int MOST_MARKS = 12;

        /** What a record costs the heap beyond its bytes, about. */
        private static final int RECORD_COST_BYTES = 256;

        private final Producer<byte[], byte[]> open;
        private final Batch batch;

        private final Optional<JsonRecord> envelope;

        /** The last record of each megabyte that was sent, and is not known to have arrived. */
        private final Deque<Future<RecordMetadata>> marks = new ArrayDeque<>();

        private int sinceMark;
        private @Nullable Slice slice;
        private byte @Nullable [] key;

        private final ReusedRecord record = new ReusedRecord(topic);
        private Provenance headers = Provenance.NONE;

        Sender(Producer<byte[], byte[]> open, Batch batch) {
            this.open = open;
            this.batch = batch;
            this.envelope = batch.rules().envelope().map(origin -> new JsonRecord(origin, batch.id()));
        }

        @Override
        public void take(Taken taken) throws IOException {
            if (!taken.slice().equals(slice)) {
                begin(taken.slice());
            }
            byte[] value = envelope.isPresent() ? envelope.get().object(taken) : taken.content();
            Future<RecordMetadata> sent = open.send(record.with(key, value, headers.of(taken)));
            if (sent.isDone()) { // at once: then it was mostly not sent, and the next would wait as long for the same
                await(sent);
            }
            sinceMark += value.length + RECORD_COST_BYTES;
            if (sinceMark >= MARK_BYTES) {
                sinceMark = 0;
                marks.add(sent);
                if (marks.size() > MOST_MARKS) {
                    await(marks.removeFirst());
                }
            }
        }

        private static void await(Future<RecordMetadata> sent) throws IOException {
            try {
                sent.get();
            } catch (ExecutionException e) {
                throw new IOException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void begin(Slice from) {
            slice = from;
            key = values.string("record_key").isEmpty() ? null : keyOf(from);
            headers = values.isTrue("headers")
                    ? Provenance.of(from, batch.route().source().labels())
                    : Provenance.NONE;
        }

        private byte[] keyOf(Slice from) {
            return recordKey
                    .render(
                            from.extent().path().relativeTo(ROOT),
                            batch.route().source().name(),
                            context.host(),
                            new KeyTemplate.Seal(batch.id(), batch.sealedAt(), 0, 0))
                    .bytes();
        }
    }

    /** Ends the producer without waiting: what it had open is ended by its successor, or by the cluster. */
    private void abandon() {
        Producer<byte[], byte[]> known = producer;
        producer = null;
        if (known != null) {
            boolean interrupted = Thread.interrupted();
            known.close(Duration.ZERO);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    synchronized void close() {
        abandon();
    }
}
