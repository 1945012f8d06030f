package tailrace.sink.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import tailrace.core.deliver.SettingValues;

/**
 * A list of what is not delivered, put into the {@linkplain Progress compacted topic}: one record, or as many as its lines need,
 * under keys of its own, in one transaction.
 */
final class FinalManifest {
    /** Half of what a broker takes for a record unless told otherwise. */
    private static final int MOST_RECORD_BYTES = 512 << 10;

    private FinalManifest() {}

    /**
     * Puts it, whole or not at all; in place of one that was put under the same key.
     *
     * @param key of the first record; those that follow have a number behind it: {@code .1}, {@code .2}, ...
     */
    static void put(SettingValues values, String key, byte[] lines) throws IOException, InterruptedException {
        var progress = new Progress(values);
        progress.make();
        Producer<byte[], byte[]> producer = new KafkaProducer<>(ClientProperties.producer(values, "tailrace-" + key));
        try {
            producer.initTransactions();
            producer.beginTransaction();
            int number = 0;
            for (int from = 0; from < lines.length; number++) {
                int to = endOfPart(lines, from);
                String name = number == 0 ? key : key + "." + number;
                producer.send(progress.record(producer, name, Arrays.copyOfRange(lines, from, to)));
                from = to;
            }
            producer.commitTransaction(); // fails if one of them has
        } finally {
            producer.close(Duration.ZERO);
        }
    }

    /** Behind the last line that still fits. */
    private static int endOfPart(byte[] lines, int from) {
        int end = Math.min(lines.length, from + MOST_RECORD_BYTES);
        for (int at = end; at > from && end < lines.length; at--) {
            if (lines[at - 1] == '\n') {
                return at;
            }
        }
        return end;
    }
}
