package tailrace.sink.kafka;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.SettingValues;

/** Tries what a delivery needs: the cluster, both topics, and a transaction, which is given up. */
final class Checkup {
    private Checkup() {}

    static List<Finding> of(SettingValues values) throws IOException {
        var findings = new ArrayList<Finding>();
        String brokers = values.string("brokers");
        Properties properties = ClientProperties.common(values);
        try (Admin admin = Admin.create(properties);
                Producer<byte[], byte[]> producer =
                        new KafkaProducer<>(ClientProperties.producer(values, "tailrace-doctor"))) {
            Set<String> topics = admin.listTopics().names().get();
            findings.add(Finding.ok(brokers + " answers"));
            String topic = values.string("topic");
            findings.add(
                    topics.contains(topic)
                            ? Finding.ok("the topic " + topic + " is there")
                            : Finding.fail("there is no topic " + topic + ", or we may not see it: create it"));
            new Progress(values).make(admin);
            findings.add(Finding.ok("the topic " + values.string("progress_topic") + " is there"));
            producer.initTransactions();
            producer.beginTransaction();
            producer.abortTransaction();
            findings.add(Finding.ok("transactions are allowed"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            findings.add(Finding.warn(brokers + ": interrupted"));
        } catch (ExecutionException | KafkaException e) {
            findings.add(Finding.fail(String.valueOf(Failures.explain(values, e).getMessage())));
        }
        return findings;
    }
}
