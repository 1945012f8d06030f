package tailrace.sink.azure;

import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.identity.DefaultAzureCredentialBuilder;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.common.StorageSharedKeyCredential;
import com.azure.storage.common.policy.RequestRetryOptions;
import com.azure.storage.common.policy.RetryPolicyType;
import java.time.Duration;
import tailrace.core.deliver.SettingValues;

/** Makes the SDK's client from the configuration. */
final class Clients {
    private Clients() {}

    /** Connects to nothing yet. */
    static BlobContainerClient container(SettingValues values) {
        Duration timeout = values.duration("timeout");
        int seconds = Math.toIntExact(Math.max(1, timeout.toSeconds()));
        var builder = new BlobContainerClientBuilder()
                .endpoint(values.optionalString("endpoint")
                        .orElseGet(() -> "https://" + values.string("account") + ".blob.core.windows.net"))
                .containerName(values.string("container"))
                // the courier tries again, with everything it knows
                .retryOptions(new RequestRetryOptions(RetryPolicyType.FIXED, 1, seconds, null, null, null))
                .httpClient(new JdkHttpClientBuilder()
                        .connectionTimeout(timeout)
                        .writeTimeout(timeout)
                        .responseTimeout(timeout)
                        .readTimeout(timeout)
                        .build());
        if (values.has("account_key")) {
            builder.credential(new StorageSharedKeyCredential(values.string("account"), values.string("account_key")));
        } else if (values.has("sas_token")) {
            builder.sasToken(values.string("sas_token"));
        } else {
            builder.credential(new DefaultAzureCredentialBuilder().build());
        }
        return builder.buildClient();
    }
}
