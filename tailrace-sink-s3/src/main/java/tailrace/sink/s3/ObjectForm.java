package tailrace.sink.s3;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;
import tailrace.core.deliver.SettingValues;
import tailrace.core.store.ObjectStore;
import tailrace.linux.LinuxPath;

/**
 * What every object has in common.
 *
 * @param createOnly whether the server is asked to refuse a key that exists
 */
record ObjectForm(
        String bucket,
        String prefix,
        boolean createOnly,
        @Nullable String storageClass,
        @Nullable ServerSideEncryption encryption,
        @Nullable String kmsKey,
        @Nullable String tagging) {
    /** The name of the batch in an object's metadata. */
    static final String BATCH = "tailrace-batch";

    static ObjectForm of(SettingValues values) {
        String tags = (values.has("tags") ? values.strings("tags") : List.<String>of())
                .stream()
                        .map(tag -> tag.split("=", 2))
                        .map(pair -> encoded(pair[0]) + "=" + encoded(pair[1]))
                        .collect(Collectors.joining("&"));
        return new ObjectForm(
                values.string("bucket"),
                ObjectStore.folder(values.string("prefix")),
                values.isTrue("create_only"),
                values.optionalString("storage_class").orElse(null),
                switch (values.string("encryption")) {
                    case "s3" -> ServerSideEncryption.AES256;
                    case "kms" -> ServerSideEncryption.AWS_KMS;
                    default -> null;
                },
                values.optionalString("kms_key").orElse(null),
                tags.isEmpty() ? null : tags);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    String contentType() {
        return "application/octet-stream";
    }

    String keyOf(LinuxPath key) {
        return prefix + key;
    }

    Optional<String> ifNoneMatch() {
        return createOnly ? Optional.of("*") : Optional.empty();
    }

    PutObjectRequest.Builder put(String key) {
        PutObjectRequest.Builder put = PutObjectRequest.builder()
                .bucket(bucket)
                .key(key)
                .contentType(contentType())
                .storageClass(storageClass)
                .serverSideEncryption(encryption)
                .ssekmsKeyId(kmsKey)
                .tagging(tagging);
        ifNoneMatch().ifPresent(put::ifNoneMatch);
        return put;
    }

    CreateMultipartUploadRequest.Builder multipart(String key) {
        return CreateMultipartUploadRequest.builder()
                .bucket(bucket)
                .key(key)
                .contentType(contentType())
                .storageClass(storageClass)
                .serverSideEncryption(encryption)
                .ssekmsKeyId(kmsKey)
                .tagging(tagging);
    }
}
