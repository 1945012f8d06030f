package tailrace.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.jspecify.annotations.Nullable;
import tailrace.core.deliver.SettingValues;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;

/**
 * The compacted topic that says which batch of each lane was committed last: its manifest line, under the lane's name,
 * written in the batch's own transaction. So it is there if, and only if, the batch's records are.
 */
final class Progress {
    private static final Duration POLL = Duration.ofMillis(200);

    /** Small, so that what is not compacted yet is soon read. */
    private static final String SEGMENT_BYTES = Integer.toString(16 << 20);

    /** So that an agent that died within a transaction holds up few others. Their number must not be changed. */
    private static final int PARTITIONS = 16;

    private final SettingValues values;
    private final String topic;

    Progress(SettingValues values) {
        this.values = values;
        this.topic = values.string("progress_topic");
    }

    /** What takes the place of the last record under the same key: of a lane's manifest line, under the lane's name. */
    ProducerRecord<byte[], byte[]> record(Producer<?, ?> producer, String key, byte[] lines) {
        int partition = partitionOf(key, producer.partitionsFor(topic).size());
        return new ProducerRecord<>(topic, partition, key.getBytes(UTF_8), lines);
    }

    /** The same for ever, so that only this one need be read. */
    private static int partitionOf(String key, int partitions) {
        return Math.floorMod(key.hashCode(), partitions);
    }

    /** As below, by a client of its own. */
    void make() throws IOException, InterruptedException {
        try (Admin admin = Admin.create(ClientProperties.common(values))) {
            make(admin);
        }
    }

    /** Makes the topic, if it is not there. */
    void make(Admin admin) throws InterruptedException {
        var wanted = new NewTopic(topic, Optional.of(PARTITIONS), Optional.empty())
                .configs(Map.of(
                        TopicConfig.CLEANUP_POLICY_CONFIG,
                        TopicConfig.CLEANUP_POLICY_COMPACT,
                        TopicConfig.SEGMENT_BYTES_CONFIG,
                        SEGMENT_BYTES));
        try {
            if (!admin.listTopics().names().get().contains(topic)) {
                admin.createTopics(List.of(wanted)).all().get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicExistsException) {
                return; // another agent was faster
            }
            throw e.getCause() instanceof KafkaException known ? known : new KafkaException(e.getCause());
        }
    }

    /**
     * The last batch of a lane, to be asked when no transaction of the lane is open. Waits for those of others that were
     * begun before: they hide what was committed behind them.
     */
    Optional<ManifestEntry> last(String lane) throws IOException {
        TopicPartition partition;
        long end;
        try (Consumer<byte[], byte[]> all = new KafkaConsumer<>(ClientProperties.consumer(values, false))) {
            partition = new TopicPartition(
                    topic, partitionOf(lane, all.partitionsFor(topic).size()));
            end = all.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
        }
        try (Consumer<byte[], byte[]> committed = new KafkaConsumer<>(ClientProperties.consumer(values, true))) {
            committed.assign(List.of(partition));
            committed.seekToBeginning(List.of(partition));
            return Optional.ofNullable(search(committed, lane, partition, end));
        }
    }

    private @Nullable ManifestEntry search(
            Consumer<byte[], byte[]> consumer, String lane, TopicPartition partition, long end) {
        long deadline = System.nanoTime() + values.duration("timeout").toNanos();
        ManifestEntry last = null;
        while (consumer.position(partition) < end) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                if (new String(record.key(), UTF_8).equals(lane)) {
                    last = ManifestCodec.fromLine(new String(record.value(), UTF_8));
                }
            }
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("a transaction of another agent in " + topic
                        + " is still open, or the cluster is slow; the cluster ends it when its time is over");
            }
        }
        return last;
    }
}
