package tailrace.sink.http;

import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.STRING;
import static tailrace.core.deliver.Setting.Kind.STRINGS;

import java.net.URI;
import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;

/** {@code type: http}. */
public final class HttpSinkProvider implements SinkProvider {
    @Override
    public String type() {
        return "http";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.required("url", STRING, "Where each batch is sent: http:// or https://."),
                Setting.oneOf("method", List.of("POST", "PUT"), "POST", "How it is sent."),
                Setting.optional(
                        "content_type",
                        STRING,
                        "application/x-ndjson",
                        "What the bytes are called: they are sent as they are."),
                Setting.optional("headers", STRINGS, "Further headers, each as 'Name: value'; use ${VARIABLES}."),
                Setting.optional("bearer_token", STRING, "Sent as 'Authorization: Bearer'."),
                Setting.optional("user", STRING, "For basic authentication."),
                Setting.optional("password", STRING, "Goes with user."),
                Setting.optional("ca_file", STRING, "PEM: whom to trust, if not this JDK's issuers."),
                Setting.optional("certificate_file", STRING, "PEM: our certificate and its chain, for mutual TLS."),
                Setting.optional("key_file", STRING, "PEM, PKCS #8: its key."),
                Setting.optional("proxy", STRING, "HOST:PORT of a proxy."),
                Setting.optional("concurrency", INTEGER, "4", "Batches sent at a time."),
                Setting.optional("timeout", DURATION, "30s", "How long to wait for an answer."));
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        URI url = URI.create(values.string("url"));
        if (url.getHost() == null || !List.of("http", "https").contains(url.getScheme())) {
            throw new IllegalArgumentException("the url of an http sink begins with http:// or https:// and has a host,"
                    + " not '" + values.string("url") + "'");
        }
        together(values, "user", "password");
        together(values, "certificate_file", "key_file");
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
        return new HttpSink(url, values, context);
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
        return true;
    }

    /** It names the batch in the idempotency key's stead for people who read logs; nothing is stored under it. */
    @Override
    public String defaultKey(SettingValues values) {
        return "{source}/{host}-{batch}";
    }
}
