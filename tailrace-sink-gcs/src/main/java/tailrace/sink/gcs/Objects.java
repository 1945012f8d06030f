package tailrace.sink.gcs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.util.Optional;
import tailrace.core.deliver.SettingValues;
import tailrace.core.store.ObjectStore;
import tailrace.linux.LinuxPath;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The URLs of a bucket's objects, and what all of them have in common. */
record Objects(URI endpoint, String bucket, String prefix, Optional<String> storageClass, Optional<String> kmsKey) {
    private static final JsonFactory JSON = new JsonFactory();

    static Objects of(SettingValues values) {
        return new Objects(
                URI.create(values.string("endpoint")),
                values.string("bucket"),
                ObjectStore.folder(values.string("prefix")),
                values.optionalString("storage_class"),
                values.optionalString("kms_key"));
    }

    String name() {
        return "gs://" + bucket + "/" + prefix;
    }

    LinuxPath keyOf(String name) {
        return LinuxPath.of(name.substring(prefix.length()));
    }

    URI upload(String query) {
        return at("/upload/storage/v1/b/" + escaped(bucket) + "/o?" + query
                + kmsKey.map(key -> "&kmsKeyName=" + escaped(key)).orElse(""));
    }

    URI object(LinuxPath key, String query) {
        return at("/storage/v1/b/" + escaped(bucket) + "/o/" + escaped(prefix + key) + "?" + query);
    }

    URI list(String beginning, String page) {
        return at("/storage/v1/b/" + escaped(bucket) + "/o?fields=items(name),nextPageToken&prefix="
                + escaped(prefix + beginning) + (page.isEmpty() ? "" : "&pageToken=" + escaped(page)));
    }

    private URI at(String path) {
        return endpoint.resolve(path);
    }

    private static String escaped(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }

    /** What is said of an object with its bytes. */
    byte[] metadata(LinuxPath key, Optional<String> batch, Optional<String> crc32c) {
        var out = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            json.writeStringProperty("name", prefix + key);
            json.writeStringProperty("contentType", "application/octet-stream");
            crc32c.ifPresent(sum -> json.writeStringProperty("crc32c", sum));
            storageClass.ifPresent(name -> json.writeStringProperty("storageClass", name));
            batch.ifPresent(id -> {
                json.writeObjectPropertyStart("metadata");
                json.writeStringProperty("tailrace-batch", id);
                json.writeEndObject();
            });
            json.writeEndObject();
        }
        return out.toByteArray();
    }
}
