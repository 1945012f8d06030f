/** {@code type: kafka}: batches as transactions. */
module tailrace.sink.kafka {
    requires tailrace.core;
    requires kafka.clients;
    requires static org.jspecify;

    provides tailrace.core.deliver.SinkProvider with
            tailrace.sink.kafka.KafkaSinkProvider;
}
