/** Lines as records of a Kafka topic, a transaction a batch. Start at {@link tailrace.sink.kafka.KafkaSink}. */
@NullMarked
package tailrace.sink.kafka;

import org.jspecify.annotations.NullMarked;
