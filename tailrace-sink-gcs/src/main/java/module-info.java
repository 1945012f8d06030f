/** {@code type: gcs}: batches as objects that are created once. */
module tailrace.sink.gcs {
    requires com.google.auth;
    requires com.google.auth.oauth2;
    requires com.google.common; // what com.google.auth.oauth2 needs, and being automatic cannot say
    requires com.google.gson; // likewise
    requires java.net.http;
    requires tailrace.core;
    requires tools.jackson.core;
    requires static org.jspecify;

    provides tailrace.core.deliver.SinkProvider with
            tailrace.sink.gcs.GcsSinkProvider;
}
