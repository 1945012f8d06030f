/** {@code type: gcs}: batches as objects that are created once. */
module tailrace.sink.gcs {
    requires com.google.auth;
    requires com.google.auth.oauth2;
    requires java.net.http;
    requires tailrace.core;
    requires tools.jackson.core;
    requires static org.jspecify;

    provides tailrace.core.deliver.SinkProvider with
            tailrace.sink.gcs.GcsSinkProvider;
}
