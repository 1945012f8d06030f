package tailrace.core.sink.tcp;

import static tailrace.core.deliver.Setting.Kind.BOOLEAN;
import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.STRING;

import java.util.ArrayList;
import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.Tls;

/** {@code type: tcp}. */
public final class TcpSinkProvider implements SinkProvider {
    private static final int MAX_PORT = 65_535;

    @Override
    public String type() {
        return "tcp";
    }

    @Override
    public List<Setting> settings() {
        var settings = new ArrayList<>(List.of(
                Setting.required("host", STRING, "Name or address of the peer."),
                Setting.required("port", INTEGER, "Its port."),
                Setting.oneOf(
                        "framing",
                        List.of("batch", "raw"),
                        "batch",
                        "batch: each batch in a frame that the peer acknowledges and can deduplicate. raw: the bytes"
                                + " alone."),
                Setting.optional(
                        "tls", BOOLEAN, "false", "Whether the connection is encrypted; not with framing: raw."),
                Setting.optional(
                        "verify_name", BOOLEAN, "true", "Whether the peer's certificate must be valid for its name."),
                Setting.optional("connections", INTEGER, "1", "How many; a file always travels on the same one."),
                Setting.optional("timeout", DURATION, "30s", "For connecting, and for each wait for the peer.")));
        settings.addAll(Tls.SETTINGS);
        return settings;
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        int port = values.integer("port");
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("the port of a tcp sink is 1 to 65535, not " + port);
        }
        Tls.check(values);
        boolean tls = values.isTrue("tls");
        if (tls && values.string("framing").equals("raw")) {
            throw new IllegalArgumentException(
                    "framing: raw does not go with tls: nothing would tell when the peer has a batch");
        }
        if (!tls && (values.has("ca_file") || values.has("key_file"))) {
            throw new IllegalArgumentException("ca_file, certificate_file and key_file need tls: true");
        }
        return new TcpSink(values, context);
    }

    @Override
    public String defaultKey(SettingValues values) {
        return "{source}/{batch}";
    }
}
