/** {@code type: s3}: batches as objects that are created once. */
@SuppressWarnings("module") // the name ends in a digit, as the service does
module tailrace.sink.s3 {
    requires tailrace.core;
    requires software.amazon.awssdk.auth;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.core;
    requires software.amazon.awssdk.http;
    requires software.amazon.awssdk.http.urlconnection;
    requires software.amazon.awssdk.profiles;
    requires software.amazon.awssdk.regions;
    requires software.amazon.awssdk.retries.api;
    requires software.amazon.awssdk.services.s3;
    requires software.amazon.awssdk.services.sts;
    requires software.amazon.awssdk.utils;
    requires static org.jspecify;

    provides tailrace.core.deliver.SinkProvider with
            tailrace.sink.s3.S3SinkProvider;
}
