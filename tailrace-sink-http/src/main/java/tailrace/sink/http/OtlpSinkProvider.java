package tailrace.sink.http;

import static tailrace.core.deliver.Setting.Kind.STRING;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.Tls;

/** {@code type: otlp}. */
public final class OtlpSinkProvider implements SinkProvider {
    private static final String LOGS = "/v1/logs";

    @Override
    public String type() {
        return "otlp";
    }

    @Override
    public List<Setting> settings() {
        var settings = new ArrayList<Setting>();
        settings.add(Setting.required(
                "url",
                STRING,
                "An OpenTelemetry receiver, as http://collector:4318: without a path, /v1/logs is meant."));
        settings.addAll(HttpSinkProvider.COMMON);
        settings.addAll(Tls.SETTINGS);
        return settings;
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        URI url = URI.create(values.string("url"));
        boolean hasPath = url.getPath() != null && url.getPath().length() > 1;
        Requests requests = HttpSinkProvider.requests(type(), hasPath ? url : url.resolve(LOGS), values);
        var withMethod = new HashMap<>(values.values());
        withMethod.put("method", "POST");
        return new RecordSink(requests, Envelope.Kind.OTLP, new SettingValues(withMethod), context);
    }

    @Override
    public boolean takesRecords(SettingValues values) {
        return true;
    }

    @Override
    public String defaultKey(SettingValues values) {
        return "{source}/{host}-{batch}";
    }
}
