/** {@code type: http} and {@code type: otlp}: batches as requests. */
module tailrace.sink.http {
    requires tailrace.core;
    requires java.net.http;
    requires tools.jackson.core;
    requires static org.jspecify;

    provides tailrace.core.deliver.SinkProvider with
            tailrace.sink.http.HttpSinkProvider,
            tailrace.sink.http.OtlpSinkProvider;
}
