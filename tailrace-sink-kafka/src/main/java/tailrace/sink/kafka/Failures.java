package tailrace.sink.kafka;

import java.io.IOException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Unreached;

/** What Kafka's clients throw, as decisions, in words for a person. */
final class Failures {
    private static final int MOST_CAUSES = 20;

    private Failures() {}

    static DeliveryException explain(SettingValues values, Exception failure) {
        String brokers = values.string("brokers");
        String topic = values.string("topic");
        String said = brokers + ": " + message(failure);
        if (has(failure, SslAuthenticationException.class)) {
            return DeliveryException.refusal(
                    Unreached.explain(brokers, failure).orElse(said),
                    "Correct the sink's tls, ca_file, certificate_file or key_file.");
        }
        if (has(failure, AuthenticationException.class)) {
            return DeliveryException.refusal(said, "Correct the sink's sasl, user and password.");
        }
        if (has(failure, AuthorizationException.class)) {
            return DeliveryException.refusal(
                    said,
                    "Allow this user to write and describe the topics " + topic + " and "
                            + values.string("progress_topic")
                            + ", to read the latter, and transactional ids that begin with tailrace-.");
        }
        if (isMissing(failure, topic)) {
            return DeliveryException.transientFailure(
                    brokers + ": there is no topic " + topic
                            + ", or its leader is down. Create it, or correct the sink's topic",
                    failure);
        }
        if (has(failure, InvalidTopicException.class)) {
            return DeliveryException.refusal(said, "Correct the sink's topic.");
        }
        if (has(failure, RecordTooLargeException.class)) {
            return DeliveryException.refusal(
                    said, "Lower the sink's max_record, or raise max.message.bytes of the topic.");
        }
        if (has(failure, ProducerFencedException.class)) { // mostly by the cluster: the transaction was open too long
            return DeliveryException.transientFailure(
                    brokers + ": the transaction was ended by the cluster, or by another agent with this ledger",
                    failure);
        }
        if (has(failure, UnsupportedVersionException.class)) {
            return DeliveryException.refusal(said, "The brokers are too old for this client.");
        }
        if (has(failure, TimeoutException.class)) {
            return DeliveryException.transientFailure(
                    said + ". Are the brokers running, do they speak Kafka"
                            + (values.isTrue("tls") ? " with TLS" : " without TLS") + ", and may we reach them?",
                    failure);
        }
        return DeliveryException.transientFailure(
                Unreached.explain(brokers, failure).orElse(said), failure);
    }

    /** A producer says it only by waiting in vain for what it wants to know of the topic. */
    private static boolean isMissing(Throwable failure, String topic) {
        return has(failure, UnknownTopicOrPartitionException.class)
                || (has(failure, TimeoutException.class)
                        && String.valueOf(message(failure)).contains("Topic " + topic + " not present in metadata"));
    }

    private static boolean has(Throwable failure, Class<? extends Throwable> kind) {
        Throwable e = failure;
        for (int i = 0; e != null && i < MOST_CAUSES; i++) {
            if (kind.isInstance(e)) {
                return true;
            }
            e = e.getCause();
        }
        return false;
    }

    private static String message(Throwable failure) {
        Throwable cause = failure.getCause();
        if (failure instanceof IOException && cause instanceof KafkaException) {
            return message(cause);
        }
        String message = failure.getMessage();
        return message == null ? failure.toString() : message;
    }
}
