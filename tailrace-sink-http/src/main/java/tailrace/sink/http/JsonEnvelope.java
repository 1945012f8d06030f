package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Map;
import tailrace.core.batch.Batch;
import tailrace.core.watch.PodLog;
import tailrace.linux.LinuxPath;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * {@code {"host", "source", "batch", "labels", "file", "offset", "body"}} for each record; or, as one document, {@code {"host",
 * "source", "batch", "labels", "records": [{"file", "offset", "body"}]}}. What is no UTF-8 has U+FFFD in its place.
 */
final class JsonEnvelope implements Envelope {
    private static final JsonFactory JSON = new JsonFactory();

    private final String host;
    private final Batch batch;
    private final boolean document;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    JsonEnvelope(String host, Batch batch, boolean document) {
        this.host = host;
        this.batch = batch;
        this.document = document;
    }

    @Override
    public void add(LinuxPath file, long offset, byte[] record) {
        if (document) {
            if (out.size() == 0) {
                begin();
            } else {
                out.write(',');
            }
        }
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            if (!document) {
                origin(json);
            }
            json.writeStringProperty("file", file.toString());
            Map<String, String> pod = PodLog.attributes(file);
            if (!pod.isEmpty()) {
                json.writeObjectPropertyStart("pod");
                pod.forEach(json::writeStringProperty);
                json.writeEndObject();
            }
            json.writeNumberProperty("offset", offset);
            json.writeStringProperty("body", new String(record, UTF_8));
            json.writeEndObject();
        }
        if (!document) {
            out.write('\n');
        }
    }

    private void begin() {
        var head = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), head)) {
            json.writeStartObject();
            origin(json);
            json.writeEndObject();
        }
        out.write(head.toByteArray(), 0, head.size() - 1); // it goes on
        out.writeBytes(",\"records\":[".getBytes(UTF_8));
    }

    private void origin(JsonGenerator json) {
        json.writeStringProperty("host", host);
        json.writeStringProperty("source", batch.route().source().name());
        json.writeStringProperty("batch", batch.id().toString());
        Map<String, String> labels = batch.route().source().labels();
        if (!labels.isEmpty()) {
            json.writeObjectPropertyStart("labels");
            labels.forEach(json::writeStringProperty);
            json.writeEndObject();
        }
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
