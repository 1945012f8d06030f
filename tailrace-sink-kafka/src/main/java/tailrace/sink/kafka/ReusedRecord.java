package tailrace.sink.kafka;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * One record object for all that are sent to a topic: a producer has copied what it says when {@code send} returns. It keeps
 * the headers of each record until that has arrived, though, and headers of their own for millions of short records are
 * half of what the garbage collector finds alive. So these may be the same object each time; only an interceptor would notice.
 */
final class ReusedRecord extends ProducerRecord<byte[], byte[]> {
    private static final byte[] NOTHING = {};

    private byte @Nullable [] key;
    private byte[] value = NOTHING;
    private Headers headers = new RecordHeaders();

    ReusedRecord(String topic) {
        super(topic, NOTHING);
    }

    /** Makes it another record; nothing given is copied. */
    ReusedRecord with(byte @Nullable [] newKey, byte[] newValue, Headers newHeaders) {
        key = newKey;
        value = newValue;
        headers = newHeaders;
        return this;
    }

    @Override
    public byte @Nullable [] key() {
        return key;
    }

    @Override
    public byte[] value() {
        return value;
    }

    @Override
    public Headers headers() {
        return headers;
    }
}
