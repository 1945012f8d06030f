package tailrace.sink.http;

import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.SIZE;
import static tailrace.core.deliver.Setting.Kind.STRING;
import static tailrace.core.deliver.Setting.Kind.STRINGS;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.Tls;

/** {@code type: http}. */
public final class HttpSinkProvider implements SinkProvider {
    private static final long MOST_REQUEST_BYTES = 256L << 20;

    @Override
    public String type() {
        return "http";
    }

    @Override
    public List<Setting> settings() {
        var settings = new ArrayList<Setting>();
        settings.add(Setting.required("url", STRING, "Where batches are sent: http:// or https://."));
        settings.add(Setting.oneOf("method", List.of("POST", "PUT"), "POST", "How they are sent."));
        settings.add(Setting.oneOf(
                "format",
                List.of("raw", "ndjson", "json"),
                "raw",
                "raw: a request for each batch, of its bytes as they are. ndjson, json: requests of records (lines),"
                        + " each with host, source, file and offset; a line of JSON each, or in one document."));
        settings.add(
                Setting.optional("content_type", STRING, "application/x-ndjson", "raw: what the bytes are called."));
        settings.addAll(COMMON);
        settings.addAll(Tls.SETTINGS);
        return settings;
    }

    /** Of all that is sent as requests. */
    static final List<Setting> COMMON = List.of(
            Setting.optional("request_bytes", SIZE, "4MiB", "Of records: a request is sent when it has grown to this."),
            Setting.optional("max_record", SIZE, "1MiB", "Of records: a longer one comes in parts."),
            Setting.oneOf(
                    "content_encoding",
                    List.of("none", "gzip"),
                    "none",
                    "Of records: how requests are compressed. For raw batches, the route's compress."),
            Setting.optional("headers", STRINGS, "Further headers, each as 'Name: value'; use ${VARIABLES}."),
            Setting.optional("bearer_token", STRING, "Sent as 'Authorization: Bearer'."),
            Setting.optional("user", STRING, "For basic authentication."),
            Setting.optional("password", STRING, "Goes with user."),
            Setting.optional("proxy", STRING, "HOST:PORT of a proxy."),
            Setting.optional("concurrency", INTEGER, "4", "Batches sent at a time."),
            Setting.optional("timeout", DURATION, "30s", "How long to wait for an answer."));

    @Override
    public Sink open(SettingValues values, Context context) {
        Requests requests = requests(type(), URI.create(values.string("url")), values);
        return switch (values.string("format")) {
            case "ndjson" -> new RecordSink(requests, Envelope.Kind.NDJSON, values, context);
            case "json" -> new RecordSink(requests, Envelope.Kind.JSON, values, context);
            default -> new HttpSink(requests, values, context);
        };
    }

    /** Checks what all have in common. */
    static Requests requests(String type, URI url, SettingValues values) {
        if (url.getHost() == null || !List.of("http", "https").contains(url.getScheme())) {
            throw new IllegalArgumentException("the url of an " + type
                    + " sink begins with http:// or https:// and has a host, not '" + values.string("url") + "'");
        }
        together(values, "user", "password");
        Tls.check(values);
        if (values.has("bearer_token") && values.has("user")) {
            throw new IllegalArgumentException("bearer_token and user exclude each other");
        }
        for (String header : headers(values)) {
            if (header.indexOf(':') < 1) {
                throw new IllegalArgumentException("a header is 'Name: value', not '" + header + "'");
            }
        }
        if (values.has("proxy") && values.string("proxy").lastIndexOf(':') < 1) {
            throw new IllegalArgumentException("proxy is HOST:PORT, not '" + values.string("proxy") + "'");
        }
        for (String size : List.of("request_bytes", "max_record")) {
            if (values.sizeBytes(size) < 1 || values.sizeBytes(size) > MOST_REQUEST_BYTES) {
                throw new IllegalArgumentException(size + " is at least 1B and at most 256MiB");
            }
        }
        return new Requests(url, values);
    }

    static List<String> headers(SettingValues values) {
        return values.has("headers") ? values.strings("headers") : List.of();
    }

    private static void together(SettingValues values, String one, String other) {
        if (values.has(one) != values.has(other)) {
            throw new IllegalArgumentException(one + " and " + other + " go together");
        }
    }

    @Override
    public boolean takesCompressed(SettingValues values) {
        return values.string("format").equals("raw");
    }

    @Override
    public boolean takesRecords(SettingValues values) {
        return !takesCompressed(values);
    }

    /** It names the batch in the idempotency key's stead for people who read logs; nothing is stored under it. */
    @Override
    public String defaultKey(SettingValues values) {
        return "{source}/{host}-{batch}";
    }
}
