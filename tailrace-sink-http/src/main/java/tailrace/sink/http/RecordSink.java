package tailrace.sink.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.zip.GZIPOutputStream;
import tailrace.core.batch.Batch;
import tailrace.core.batch.BatchId;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.Records;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.deliver.Taken;
import tailrace.core.track.Withheld;

/**
 * A batch as requests of some megabytes, each of whole records in an {@link Envelope}. The same batch makes the same
 * requests at each attempt, with the same idempotency keys; those that were answered are not sent again, unless this
 * process has ended meanwhile: at least once.
 */
final class RecordSink implements Sink {
    private static final int MOST_REMEMBERED = 256;

    private final Requests requests;
    private final Envelope.Kind kind;
    private final SettingValues values;
    private final SinkProvider.Context context;
    private final int requestBytes;
    private final int maxRecordBytes;

    /** Of batches that were not taken whole, how many of their first requests were. */
    private final Map<BatchId, Integer> answered = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<BatchId, Integer> eldest) {
            return size() > MOST_REMEMBERED;
        }
    };

    RecordSink(Requests requests, Envelope.Kind kind, SettingValues values, SinkProvider.Context context) {
        this.requests = requests;
        this.kind = kind;
        this.values = values;
        this.context = context;
        this.requestBytes = Math.toIntExact(values.sizeBytes("request_bytes"));
        this.maxRecordBytes = Math.toIntExact(values.sizeBytes("max_record"));
    }

    @Override
    public SinkTraits traits() {
        return new SinkTraits(false, false, 0, values.integer("concurrency"));
    }

    @Override
    public Receipt deliver(Batch batch, long position, BatchContent content)
            throws DeliveryException, SourceChangedException {
        try {
            // a look at all bytes before the first of them leaves: what has changed must not be sent in part
            int sum = content.sum();
            List<Withheld> withheld = new Attempt(batch).run(content);
            boolean isSummed = context.integrity() == Integrity.CRC32C;
            return new Receipt(0, isSummed ? OptionalInt.of(sum) : OptionalInt.empty(), withheld);
        } catch (IOException e) {
            throw DeliveryException.transientFailure("cannot read the source: " + e.getMessage(), e);
        }
    }

    /** One attempt to send a batch. */
    private final class Attempt implements Records.Taker {
        private final Batch batch;
        private final int alreadyAnswered;
        private Envelope envelope;
        private int made;

        Attempt(Batch batch) {
            this.batch = batch;
            this.alreadyAnswered = remembered(batch.id());
            this.envelope = envelope();
        }

        private Envelope envelope() {
            return kind.open(context.host(), batch);
        }

        List<Withheld> run(BatchContent content) throws IOException, DeliveryException, SourceChangedException {
            List<Withheld> withheld = Records.each(content, batch.rules(), maxRecordBytes, this);
            if (envelope.sizeBytes() > 0) {
                send();
            }
            forget(batch.id());
            return withheld;
        }

        @Override
        public void take(Taken taken) throws DeliveryException, SourceChangedException {
            envelope.add(taken);
            if (envelope.sizeBytes() >= requestBytes) {
                send();
            }
        }

        private void send() throws DeliveryException, SourceChangedException {
            if (made >= alreadyAnswered) {
                byte[] body = envelope.close();
                HttpRequest.Builder request = requests.to(kind.contentType(), batch.id() + "-" + made);
                boolean gzip = values.string("content_encoding").equals("gzip");
                if (gzip) {
                    request.setHeader("Content-Encoding", "gzip");
                }
                request.method(
                        values.string("method"), HttpRequest.BodyPublishers.ofByteArray(gzip ? gzipped(body) : body));
                kind.check(requests.send(request.build()));
                remember(batch.id(), made + 1);
            }
            made++;
            envelope = envelope();
        }
    }

    private static byte[] gzipped(byte[] body) {
        var out = new ByteArrayOutputStream(body.length / 4);
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // not of an array
        }
        return out.toByteArray();
    }

    private synchronized int remembered(BatchId batch) {
        return answered.getOrDefault(batch, 0);
    }

    private synchronized void remember(BatchId batch, int requestsAnswered) {
        answered.put(batch, requestsAnswered);
    }

    private synchronized void forget(BatchId batch) {
        answered.remove(batch);
    }

    @Override
    public List<Finding> check() {
        return requests.check();
    }

    @Override
    public void close() {
        requests.close();
    }
}
