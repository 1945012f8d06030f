package tailrace.sink.s3;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.auth.StsAssumeRoleCredentialsProvider;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Tls;

/** Makes the SDK's client from the configuration. */
final class Clients {
    /** Servers with an endpoint of their own mostly do not care, but the signature needs one. */
    private static final Region ANY_REGION = Region.US_EAST_1;

    private Clients() {}

    /**
     * Connects to nothing yet.
     *
     * @throws software.amazon.awssdk.core.exception.SdkClientException if no region can be found
     */
    static S3Client client(SettingValues values) {
        Optional<URI> endpoint = values.optionalString("endpoint").map(URI::create);
        Duration timeout = values.duration("timeout");
        S3ClientBuilder builder = S3Client.builder()
                .region(region(values, endpoint.isPresent()))
                .credentialsProvider(credentials(values))
                .forcePathStyle(values.has("path_style") ? values.isTrue("path_style") : endpoint.isPresent())
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED) // we say them ourselves
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .httpClientBuilder(http(values, timeout))
                // the courier tries again, with everything it knows
                .overrideConfiguration(o -> o.retryStrategy(r -> r.maxAttempts(1)));
        endpoint.ifPresent(builder::endpointOverride);
        return builder.build();
    }

    private static UrlConnectionHttpClient.Builder http(SettingValues values, Duration timeout) {
        var http = UrlConnectionHttpClient.builder().connectionTimeout(timeout).socketTimeout(timeout);
        try {
            Tls.trusted(values).ifPresent(managers -> http.tlsTrustManagersProvider(() -> managers));
            return http;
        } catch (IOException e) {
            throw SdkClientException.create(String.valueOf(e.getMessage()), e);
        }
    }

    private static Region region(SettingValues values, boolean hasEndpoint) {
        Optional<String> named = values.optionalString("region");
        if (named.isPresent()) {
            return Region.of(named.get());
        }
        return hasEndpoint ? ANY_REGION : new DefaultAwsRegionProviderChain().getRegion();
    }

    private static AwsCredentialsProvider credentials(SettingValues values) {
        AwsCredentialsProvider own;
        if (values.has("access_key_id")) {
            own = StaticCredentialsProvider.create(
                    AwsBasicCredentials.create(values.string("access_key_id"), values.string("secret_access_key")));
        } else {
            var chain = DefaultCredentialsProvider.builder();
            values.optionalString("profile")
                    .ifPresent(profile -> chain.profileName(profile).profileFile(ProfileFile::defaultProfileFile));
            own = chain.build();
        }
        Optional<String> role = values.optionalString("role_arn");
        if (role.isEmpty()) {
            return own;
        }
        StsClient sts = StsClient.builder()
                .region(region(values, false))
                .credentialsProvider(own)
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build();
        return StsAssumeRoleCredentialsProvider.builder()
                .stsClient(sts)
                .refreshRequest(r -> {
                    r.roleArn(role.get()).roleSessionName("tailrace");
                    values.optionalString("external_id").ifPresent(r::externalId);
                })
                .build();
    }
}
