/** Comparisons, printed as ratios. */
module tailrace.bench {
    requires tailrace.core;
    requires tailrace.testkit;
    requires aircompressor.v3;
    requires software.amazon.awssdk.auth;
    requires software.amazon.awssdk.awscore;
    requires software.amazon.awssdk.core;
    requires software.amazon.awssdk.http;
    requires software.amazon.awssdk.http.urlconnection;
    requires software.amazon.awssdk.identity.spi;
    requires software.amazon.awssdk.utils;
    requires software.amazon.awssdk.regions;
    requires software.amazon.awssdk.services.s3;
    requires static org.jspecify;
}
