package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Taken;
import tailrace.core.watch.PodLog;
import tailrace.linux.LinuxPath;

/**
 * Logs of OpenTelemetry: a LogRecord for each record, with its file and offset as attributes ({@code log.file.path},
 * {@code log.file.offset}; of containers those of {@link PodLog}, and {@code log.iostream}), and host and source as those of the resource ({@code host.name}, {@code service.name}), and the
 * labels of the source.
 *
 * @see <a href="https://github.com/open-telemetry/opentelemetry-proto">opentelemetry-proto, logs/v1/logs.proto</a>
 * @see <a href="https://opentelemetry.io/docs/specs/otlp/#otlphttp">OTLP/HTTP</a>
 */
final class OtlpEnvelope implements Envelope {
    /** Fields of ExportLogsServiceRequest, and of the messages below it. */
    private static final int RESOURCE_LOGS = 1;

    private static final int RESOURCE = 1;
    private static final int SCOPE_LOGS = 2;
    private static final int SCOPE = 1;
    private static final int SCOPE_NAME = 1;
    private static final int LOG_RECORDS = 2;
    private static final int TIME_UNIX_NANO = 1;
    private static final int BODY = 5;
    private static final int ATTRIBUTES = 6;
    private static final int RESOURCE_ATTRIBUTES = 1;
    private static final int OBSERVED_TIME_UNIX_NANO = 11;
    private static final int KEY = 1;
    private static final int VALUE = 2;
    private static final int STRING_VALUE = 1;
    private static final int INT_VALUE = 3;
    private static final int BYTES_VALUE = 7;
    private static final int PARTIAL_SUCCESS = 1;
    private static final int REJECTED_LOG_RECORDS = 1;
    private static final int ERROR_MESSAGE = 2;

    private final String host;
    private final Batch batch;
    private final Protobuf records = new Protobuf();
    private final Protobuf scratch = new Protobuf();
    private final Protobuf inner = new Protobuf();

    /** The attributes that all records of a file have, and of which file they are. */
    private final Protobuf ofFile = new Protobuf();

    private LinuxPath attributed = LinuxPath.of("");

    OtlpEnvelope(String host, Batch batch) {
        this.host = host;
        this.batch = batch;
    }

    @Override
    public void add(Taken taken) {
        LinuxPath file = taken.slice().extent().path();
        scratch.clear();
        writtenAt(taken.time()).ifPresent(at -> scratch.fixed64(TIME_UNIX_NANO, nanos(at)));
        // when it was written only containers say; when it was seen is known, to the age of a batch
        scratch.fixed64(OBSERVED_TIME_UNIX_NANO, nanos(batch.sealedAt()));
        inner.clear();
        inner.bytes(isText(taken.content()) ? STRING_VALUE : BYTES_VALUE, taken.content());
        scratch.message(BODY, inner);
        if (!file.equals(attributed)) {
            ofFile.clear();
            attribute(ofFile, ATTRIBUTES, "log.file.path", file.toString());
            PodLog.attributes(file).forEach((name, value) -> attribute(ofFile, ATTRIBUTES, name, value));
            attributed = file;
        }
        scratch.append(ofFile);
        if (!taken.stream().isEmpty()) {
            attribute(scratch, ATTRIBUTES, "log.iostream", taken.stream());
        }
        inner.clear();
        inner.bytes(KEY, "log.file.offset".getBytes(UTF_8));
        var number = new Protobuf();
        number.varint(INT_VALUE, taken.offset());
        inner.message(VALUE, number);
        scratch.message(ATTRIBUTES, inner);
        records.message(LOG_RECORDS, scratch);
    }

    /** As a container's log says it; empty if that is no time. */
    private static Optional<Instant> writtenAt(String time) {
        try {
            return time.isEmpty()
                    ? Optional.empty()
                    : Optional.of(OffsetDateTime.parse(time).toInstant());
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static long nanos(Instant at) {
        return ChronoUnit.NANOS.between(Instant.EPOCH, at);
    }

    private static void attribute(Protobuf of, int field, String key, String value) {
        var pair = new Protobuf();
        pair.bytes(KEY, key.getBytes(UTF_8));
        var any = new Protobuf();
        any.bytes(STRING_VALUE, value.getBytes(UTF_8));
        pair.message(VALUE, any);
        of.message(field, pair);
    }

    /** A string of protobuf is UTF-8, or the whole request is refused. */
    private static boolean isText(byte[] record) {
        for (byte b : record) {
            if (b < 0) {
                return isUtf8(record);
            }
        }
        return true;
    }

    private static boolean isUtf8(byte[] record) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(record));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    @Override
    public int sizeBytes() {
        return records.length();
    }

    @Override
    public byte[] close() {
        var resource = new Protobuf();
        attribute(
                resource,
                RESOURCE_ATTRIBUTES,
                "service.name",
                batch.route().source().name());
        attribute(resource, RESOURCE_ATTRIBUTES, "host.name", host);
        attribute(resource, RESOURCE_ATTRIBUTES, "tailrace.batch", batch.id().toString());
        batch.route().source().labels().forEach((name, value) -> attribute(resource, RESOURCE_ATTRIBUTES, name, value));
        var scope = new Protobuf();
        scope.bytes(SCOPE_NAME, "tailrace".getBytes(UTF_8));
        var scopeLogs = new Protobuf();
        scopeLogs.message(SCOPE, scope);
        scopeLogs.append(records);
        var resourceLogs = new Protobuf();
        resourceLogs.message(RESOURCE, resource);
        resourceLogs.message(SCOPE_LOGS, scopeLogs);
        var request = new Protobuf();
        request.message(RESOURCE_LOGS, resourceLogs);
        return request.toByteArray();
    }

    /** An answer of success may say that records were refused, which must not be sent again as they are. */
    static void checkAnswer(byte[] answer) throws DeliveryException {
        var partial = new Protobuf.Reader(answer).message(PARTIAL_SUCCESS);
        long rejected = partial.varint(REJECTED_LOG_RECORDS);
        if (rejected > 0) {
            throw DeliveryException.rejection(
                    "the receiver rejects " + rejected + " records: " + partial.text(ERROR_MESSAGE),
                    "Look at what it demands of log records.");
        }
    }
}
