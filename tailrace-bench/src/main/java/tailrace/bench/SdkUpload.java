package tailrace.bench;

import java.net.URI;
import java.nio.file.Path;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;

/** The baseline: a program that uploads a file as the SDK's documentation says, with a CRC32C. */
final class SdkUpload {
    private SdkUpload() {}

    public static void main(String... arguments) {
        try (S3Client client = S3Client.builder()
                .endpointOverride(URI.create(arguments[0]))
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("me", "secret")))
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build()) {
            client.putObject(
                    r -> r.bucket("bucket").key("file").checksumAlgorithm(ChecksumAlgorithm.CRC32_C),
                    Path.of(arguments[1]));
        }
    }
}
