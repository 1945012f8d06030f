package tailrace.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import tailrace.core.deliver.Slice;
import tailrace.core.deliver.Taken;
import tailrace.core.watch.PodLog;
import tailrace.linux.LinuxPath;

/**
 * Headers that say where each record of a slice is from. Labels come first: {@link Headers#lastHeader} finds ours even if a
 * label has the same name. Names are short because the producer counts the characters of each name three times a record.
 */
interface Provenance {
    /** Which says nothing. */
    Provenance NONE = new Provenance() {
        private final Headers none = new RecordHeaders();

        @Override
        public Headers of(Taken taken) {
            return none;
        }
    };

    /** The headers of a record: the same object for most, which says what is asked for until the next one is asked for. */
    Headers of(Taken taken);

    static Provenance of(Slice slice, Map<String, String> labels) {
        LinuxPath file = slice.extent().path();
        var common = new RecordHeaders();
        labels.forEach((name, value) -> common.add(header(name, value)));
        PodLog.attributes(file).forEach((name, value) -> common.add(header(name, value)));
        common.add(new RecordHeader("file", file.bytes()));
        var offset = new OffsetHeader();
        common.add(offset);
        return taken -> {
            offset.set(taken.offset());
            return taken.time().isEmpty() && taken.stream().isEmpty() ? common : ofContainer(common, taken);
        };
    }

    private static Headers ofContainer(Headers common, Taken taken) {
        var headers = new RecordHeaders(common);
        if (!taken.time().isEmpty()) {
            headers.add(header("time", taken.time()));
        }
        if (!taken.stream().isEmpty()) {
            headers.add(header("stream", taken.stream()));
        }
        return headers;
    }

    private static Header header(String name, String value) {
        return new RecordHeader(name, value.getBytes(UTF_8));
    }

    /** Of the record that is sent right now: eight bytes, the most significant first. */
    final class OffsetHeader implements Header {
        private static final VarHandle BIG_ENDIAN_LONG =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

        private final byte[] value = new byte[Long.BYTES];

        private OffsetHeader() {}

        private void set(long offset) {
            BIG_ENDIAN_LONG.set(value, 0, offset);
        }

        @Override
        public String key() {
            return "offset";
        }

        @Override
        public byte[] value() {
            return value;
        }
    }
}
