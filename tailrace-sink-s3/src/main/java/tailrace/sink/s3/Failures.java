package tailrace.sink.s3;

import java.time.Duration;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.RetryAfter;
import tailrace.core.deliver.Unreached;

/** What the SDK's exceptions mean, and what a person can do. */
final class Failures {
    static final int PRECONDITION_FAILED = 412;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int UNAVAILABLE = 503;
    private static final int NOT_IMPLEMENTED = 501;
    private static final Duration BREATH = Duration.ofSeconds(1);

    private final String where;

    /** @param where the bucket, and the endpoint if it is not AWS, for messages */
    Failures(String where) {
        this.where = where;
    }

    DeliveryException of(SdkException e) {
        if (e instanceof S3Exception answer) {
            return answer(answer);
        }
        return e instanceof SdkClientException ? unanswered(e) : DeliveryException.transientFailure(text(e), e);
    }

    private String text(Throwable e) {
        return where + ": " + e.getMessage();
    }

    private DeliveryException answer(S3Exception e) {
        String code = e.awsErrorDetails() == null
                ? ""
                : String.valueOf(e.awsErrorDetails().errorCode());
        Optional<String> advice = advice(code, e.statusCode());
        if (code.equals("EntityTooLarge") || code.equals("KeyTooLongError")) {
            return DeliveryException.rejection(said(e, code), advice.orElseThrow());
        }
        if (advice.isPresent()) {
            return DeliveryException.refusal(said(e, code), advice.get());
        }
        if (e.statusCode() == UNAVAILABLE || e.statusCode() == TOO_MANY_REQUESTS) {
            return DeliveryException.transientFailure(said(e, code), retryAfter(e), e);
        }
        return DeliveryException.transientFailure(said(e, code), e);
    }

    private String said(S3Exception e, String code) {
        String message = e.awsErrorDetails() == null
                ? String.valueOf(e.getMessage())
                : String.valueOf(e.awsErrorDetails().errorMessage());
        return where + " answered " + e.statusCode() + " " + code + ": " + message;
    }

    /** What only a person can mend. */
    private static Optional<String> advice(String code, int status) {
        return Optional.ofNullable(
                switch (code) {
                    case "NoSuchBucket" -> "Create the bucket, or correct the sink's bucket.";
                    case "AccessDenied", "AllAccessDisabled", "AccountProblem" ->
                        "Allow s3:PutObject, s3:GetObject, s3:AbortMultipartUpload and s3:ListMultipartUploadParts"
                                + " on the bucket's keys, and s3:ListBucketMultipartUploads on the bucket; with SSE-KMS"
                                + " kms:GenerateDataKey, too.";
                    case "InvalidAccessKeyId", "SignatureDoesNotMatch" ->
                        "Correct the credentials: the environment, the profile, or access_key_id and"
                                + " secret_access_key.";
                    case "RequestTimeTooSkewed" -> "Set this machine's clock, for instance by chrony.";
                    case "PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException" ->
                        "The bucket is in another region: correct the sink's region.";
                    case "KeyTooLongError" -> "Shorten the route's key: S3 takes 1024 bytes.";
                    case "EntityTooLarge" -> "Lower the route's batch.bytes.";
                    case "InvalidStorageClass" -> "Correct the sink's storage_class.";
                    case "InvalidTag" -> "Correct the sink's tags.";
                    case "KMS.NotFoundException", "KMS.DisabledException" -> "Correct the sink's kms_key.";
                    case "ObjectLockConfigurationNotFoundError", "InvalidRetentionPeriod" ->
                        "Look at the bucket's object lock.";
                    default ->
                        status == NOT_IMPLEMENTED
                                ? "The server does not know a header. If that is If-None-Match, say create_only:"
                                      + " false; if it is one of those that go with parts, raise part_bytes above half"
                                      + " of batch.bytes."
                                : null;
                });
    }

    private static Duration retryAfter(S3Exception e) {
        return Optional.ofNullable(e.awsErrorDetails())
                .flatMap(details -> Optional.ofNullable(details.sdkHttpResponse()))
                .flatMap(response -> response.firstMatchingHeader("Retry-After"))
                .map(RetryAfter::parse)
                .orElse(BREATH);
    }

    /** No answer came: the network, TLS, or credentials that could not be had. */
    private DeliveryException unanswered(SdkException e) {
        Optional<String> why = Unreached.explain(where, e);
        if (why.isPresent()) {
            return DeliveryException.transientFailure(why.get(), e);
        }
        if (String.valueOf(e.getMessage()).contains("Unable to load credentials")) {
            return DeliveryException.refusal(
                    where + ": no credentials",
                    "They are sought in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a web identity token, ~/.aws, and"
                            + " the instance's role; or give the sink access_key_id and secret_access_key.");
        }
        return DeliveryException.transientFailure(text(e) + ". Does the endpoint speak S3?", e);
    }
}
