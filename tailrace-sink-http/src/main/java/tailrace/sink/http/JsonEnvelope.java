package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import tailrace.core.batch.Batch;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.JsonRecord;
import tailrace.core.deliver.Taken;

/**
 * A line of {@link JsonRecord} for each record; or one document, {@code {"host", "source", "batch", "labels", "records": [{"file",
 * "offset", "body", ...}]}}.
 */
final class JsonEnvelope implements Envelope {
    private final boolean document;
    private final JsonRecord json;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    JsonEnvelope(String host, Batch batch, boolean document) {
        var source = batch.route().source();
        this.document = document;
        this.json = new JsonRecord(new RecordRules.Origin(host, source.name(), source.labels()), batch.id());
    }

    @Override
    public void add(Taken taken) {
        if (!document) {
            out.writeBytes(json.line(taken));
            return;
        }
        if (out.size() == 0) {
            byte[] origin = json.origin();
            out.write(origin, 0, origin.length - 1); // it goes on
            out.writeBytes(",\"records\":[".getBytes(UTF_8));
        } else {
            out.write(',');
        }
        out.writeBytes(json.member(taken));
    }

    @Override
    public int sizeBytes() {
        return out.size();
    }

    @Override
    public byte[] close() {
        if (document) {
            out.writeBytes("]}".getBytes(UTF_8));
        }
        return out.toByteArray();
    }
}
