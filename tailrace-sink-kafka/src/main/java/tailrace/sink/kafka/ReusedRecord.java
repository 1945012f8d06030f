package tailrace.sink.kafka;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * One record object for all that are sent to a topic: a producer has copied what it says when {@code send} returns. It keeps
 * the headers of each record until that has arrived, though, and headers of their own for millions of short records are
 * half of what the garbage collector finds alive. So these are always the same object; only an interceptor would notice.
 */
final class ReusedRecord extends ProducerRecord<byte[], byte[]> {
    private static final byte[] NOTHING = {};

    private final Shown shown = new Shown();
    private byte @Nullable [] key;
    private byte[] value = NOTHING;

    ReusedRecord(String topic) {
        super(topic, NOTHING);
    }

    /** Makes it another record; nothing given is copied. */
    ReusedRecord with(byte @Nullable [] newKey, byte[] newValue, Header[] newHeaders) {
        key = newKey;
        value = newValue;
        shown.all = newHeaders;
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
        return shown;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** Headers that nobody can change but the record. */
    private static final class Shown implements Headers {
        private static final Header[] NONE = {};

        private Header[] all = NONE;

        @Override
        public Headers add(Header header) {
            throw new IllegalStateException("the headers of a record are what its file and source say");
        }

        @Override
        public Headers add(String key, byte[] value) {
            throw new IllegalStateException("the headers of a record are what its file and source say");
        }

        @Override
        public Headers remove(String key) {
            throw new IllegalStateException("the headers of a record are what its file and source say");
        }

        @Override
        public @Nullable Header lastHeader(String key) {
            List<Header> found = named(key);
            return found.isEmpty() ? null : found.getLast();
        }

        @Override
        public Iterable<Header> headers(String key) {
            return named(key);
        }

        private List<Header> named(String key) {
            return Arrays.stream(all).filter(h -> h.key().equals(key)).toList();
        }

        @Override
        public Header[] toArray() {
            return all;
        }

        @Override
        public Iterator<Header> iterator() {
            return List.of(all).iterator();
        }
    }
}
