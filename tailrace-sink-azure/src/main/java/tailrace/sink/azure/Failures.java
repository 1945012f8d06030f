package tailrace.sink.azure;

import com.azure.core.exception.ClientAuthenticationException;
import com.azure.core.http.HttpHeaderName;
import com.azure.storage.blob.models.BlobStorageException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.RetryAfter;
import tailrace.core.deliver.Unreached;

/** What the SDK's exceptions mean, and what a person can do. */
final class Failures {
    private static final int FIRST_SERVER_ERROR = 500;
    private static final int NOT_FOUND = 404;
    private static final int MOST_SAID = 300;

    private final String where;

    /** @param where the container, for messages */
    Failures(String where) {
        this.where = where;
    }

    static boolean saysThatItExists(BlobStorageException e) {
        return List.of("BlobAlreadyExists", "ConditionNotMet").contains(code(e));
    }

    static boolean saysThatThereIsNone(BlobStorageException e) {
        String code = code(e);
        return e.getStatusCode() == NOT_FOUND && (code.isEmpty() || code.equals("BlobNotFound"));
    }

    private static String code(BlobStorageException e) {
        return e.getErrorCode() == null ? "" : e.getErrorCode().toString();
    }

    DeliveryException of(RuntimeException e) {
        if (e instanceof BlobStorageException answer) {
            return answer(answer);
        }
        Optional<String> why = Unreached.explain(where, e);
        if (why.isPresent()) {
            return DeliveryException.transientFailure(why.get(), e);
        }
        if (e instanceof ClientAuthenticationException
                || String.valueOf(e.getMessage()).contains("DefaultAzureCredential")) {
            return DeliveryException.refusal(
                    where + ": no credentials: " + first(e),
                    "They are sought in AZURE_CLIENT_ID and its like, the workload's and the machine's identity, and az"
                            + " login; or give the sink account_key or sas_token.");
        }
        return DeliveryException.transientFailure(
                where + ": " + first(e) + ". Does the endpoint speak Azure's blob storage?", e);
    }

    private static String first(RuntimeException e) {
        String text = String.valueOf(e.getMessage()).strip().replaceAll("\\s+", " ");
        return text.substring(0, Math.min(text.length(), MOST_SAID));
    }

    private DeliveryException answer(BlobStorageException e) {
        String said = where + " answered " + e.getStatusCode() + " " + code(e);
        Optional<String> advice = advice(code(e), e.getStatusCode());
        if (code(e).equals("RequestBodyTooLarge")) {
            return DeliveryException.rejection(said, advice.orElseThrow());
        }
        if (advice.isPresent()) {
            return DeliveryException.refusal(said, advice.get());
        }
        String after =
                e.getResponse() == null ? null : e.getResponse().getHeaders().getValue(HttpHeaderName.RETRY_AFTER);
        Duration wait = after == null ? Duration.ZERO : RetryAfter.parse(after);
        return DeliveryException.transientFailure(said, wait, e);
    }

    /** What only a person can mend. */
    private static Optional<String> advice(String code, int status) {
        String advice = switch (code) {
            case "ContainerNotFound" -> "Create the container, or correct the sink's container.";
            case "ContainerBeingDeleted", "ContainerDisabled" -> "Look at the container.";
            case "AuthenticationFailed" ->
                "Correct account_key or sas_token, whose time may have passed; and look at this machine's" + " clock.";
            case "AuthorizationFailure",
                    "AuthorizationPermissionMismatch",
                    "InsufficientAccountPermissions",
                    "AuthorizationSourceIPMismatch",
                    "AuthorizationServiceMismatch",
                    "AuthorizationResourceTypeMismatch" ->
                "Correct the credentials, allow them to read, create and list blobs (the role Storage Blob Data"
                        + " Contributor), and look at the account's firewall.";
            case "BlobImmutableDueToPolicy" -> "Look at the container's immutability policy.";
            case "InvalidBlobTier", "InvalidHeaderValue" -> "Correct the sink's tier.";
            case "InvalidResourceName", "OutOfRangeInput", "InvalidUri" ->
                "Correct the sink's container, or shorten the route's key: Azure takes 1024 characters.";
            case "RequestBodyTooLarge" -> "Lower the sink's part_bytes.";
            default -> "";
        };
        if (!advice.isEmpty()) {
            return Optional.of(advice);
        }
        boolean heals = status >= FIRST_SERVER_ERROR || status == 408 || status == 409 || status == 429;
        return heals || code.equals("Md5Mismatch")
                ? Optional.empty()
                : Optional.of(
                        status == 401 || status == 403
                                ? "Correct the credentials and their permissions."
                                : "The server does not want this batch as it is.");
    }
}
