/** {@code type: azure}: batches as blobs that are created once. */
module tailrace.sink.azure {
    requires com.azure.core;
    requires com.azure.core.http.jdk.httpclient;
    requires com.azure.identity;
    requires com.azure.storage.blob;
    requires com.azure.storage.common;
    requires tailrace.core;
    requires static org.jspecify;

    provides tailrace.core.deliver.SinkProvider with
            tailrace.sink.azure.AzureSinkProvider;
}
