package tailrace.core.sink.tcp;

import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.STRING;

import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;

/** {@code type: tcp}. */
public final class TcpSinkProvider implements SinkProvider {
    private static final int MAX_PORT = 65_535;

    @Override
    public String type() {
        return "tcp";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.required("host", STRING, "Name or address of the peer."),
                Setting.required("port", INTEGER, "Its port."),
                Setting.oneOf(
                        "framing",
                        List.of("batch", "raw"),
                        "batch",
                        "batch: each batch in a frame that the peer acknowledges and can deduplicate. raw: the bytes"
                                + " alone."),
                Setting.optional("connections", INTEGER, "1", "How many; a file always travels on the same one."),
                Setting.optional("timeout", DURATION, "30s", "For connecting, and for each wait for the peer."));
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        int port = values.integer("port");
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("the port of a tcp sink is 1 to 65535, not " + port);
        }
        return new TcpSink(
                values.string("host"),
                port,
                values.string("framing").equals("raw"),
                values.integer("connections"),
                values.duration("timeout"),
                context);
    }

    @Override
    public String defaultKey(SettingValues values) {
        return "{source}/{batch}";
    }
}
