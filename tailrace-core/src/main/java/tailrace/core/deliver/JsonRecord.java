package tailrace.core.deliver;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Map;
import tailrace.core.batch.BatchId;
import tailrace.core.batch.RecordRules;
import tailrace.core.watch.PodLog;
import tailrace.linux.LinuxPath;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Records in an envelope of JSON: {@code {"host", "source", "batch", "labels", "file", "pod", "offset", "time", "stream", "body"}},
 * without what is not known. What is no UTF-8 has U+FFFD in its place.
 */
public final class JsonRecord {
    private static final JsonFactory JSON = new JsonFactory();

    private final RecordRules.Origin origin;
    private final BatchId batch;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Of the file of the record before, which is mostly that of the next. */
    private LinuxPath file = LinuxPath.of("");

    private Map<String, String> pod = Map.of();

    public JsonRecord(RecordRules.Origin origin, BatchId batch) {
        this.origin = origin;
        this.batch = batch;
    }

    /** A record with all that is said of it, and LF. */
    public byte[] line(Taken taken) {
        return write(true, taken, true);
    }

    /** As above, without LF. */
    public byte[] object(Taken taken) {
        return write(true, taken, false);
    }

    /** A record as an object, without what all records of a batch have in common. */
    public byte[] member(Taken taken) {
        return write(false, taken, false);
    }

    private byte[] write(boolean withOrigin, Taken taken, boolean withLineEnd) {
        out.reset();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            if (withOrigin) {
                writeOrigin(json);
            }
            record(json, taken);
            json.writeEndObject();
        }
        if (withLineEnd) {
            out.write('\n');
        }
        return out.toByteArray();
    }

    /** An object with what all records of a batch have in common. */
    public byte[] origin() {
        out.reset();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            writeOrigin(json);
            json.writeEndObject();
        }
        return out.toByteArray();
    }

    private void writeOrigin(JsonGenerator json) {
        json.writeStringProperty("host", origin.host());
        json.writeStringProperty("source", origin.source());
        json.writeStringProperty("batch", batch.toString());
        object(json, "labels", origin.labels());
    }

    private void record(JsonGenerator json, Taken taken) {
        LinuxPath path = taken.slice().extent().path();
        if (!path.equals(file)) {
            file = path;
            pod = PodLog.attributes(path);
        }
        json.writeStringProperty("file", path.toString());
        object(json, "pod", pod);
        json.writeNumberProperty("offset", taken.offset());
        if (!taken.time().isEmpty()) {
            json.writeStringProperty("time", taken.time());
        }
        if (!taken.stream().isEmpty()) {
            json.writeStringProperty("stream", taken.stream());
        }
        json.writeStringProperty("body", new String(taken.content(), UTF_8));
    }

    private static void object(JsonGenerator json, String name, Map<String, String> members) {
        if (!members.isEmpty()) {
            json.writeObjectPropertyStart(name);
            members.forEach(json::writeStringProperty);
            json.writeEndObject();
        }
    }
}
