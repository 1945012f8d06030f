/** {@code type: http}: batches as requests. */
module tailrace.sink.http {
    requires tailrace.core;
    requires java.net.http;
    requires static org.jspecify;

    provides tailrace.core.deliver.SinkProvider with
            tailrace.sink.http.HttpSinkProvider;
}
