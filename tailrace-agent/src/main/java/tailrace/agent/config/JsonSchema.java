package tailrace.agent.config;

import java.io.StringWriter;
import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SinkProvider;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** {@link Schema} as JSON Schema, for editors: completion, and complaints before the agent makes them. */
public final class JsonSchema {
    private final Schema schema = new Schema();

    /** The schema, indented. */
    public String text() {
        var text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(new Indented(), text)) {
            json.writeStartObject();
            json.writeStringProperty("$schema", "https://json-schema.org/draft/2020-12/schema");
            json.writeStringProperty("title", "tailrace.yaml");
            closedObject(json);
            json.writeArrayPropertyStart("required");
            for (String key : List.of("sources", "sinks", "routes")) {
                json.writeString(key);
            }
            json.writeEndArray();
            json.writeObjectPropertyStart("properties");
            Schema.TOP.forEach(setting -> property(json, setting));
            named(json, "sources", "Which files are meant, by name.", () -> object(json, Schema.SOURCE, List.of()));
            named(json, "sinks", "Where files are delivered to, by name.", () -> sinks(json));
            routes(json);
            nested(json, "drain", Schema.DRAIN);
            nested(json, "pins", Schema.PINS);
            nested(json, "admin", Schema.ADMIN);
            json.writeEndObject();
            json.writeEndObject();
        }
        return text + "\n";
    }

    private static final class Indented extends ObjectWriteContext.Base {
        @Override
        public tools.jackson.core.PrettyPrinter getPrettyPrinter() {
            return new tools.jackson.core.util.DefaultPrettyPrinter()
                    .withArrayIndenter(new tools.jackson.core.util.DefaultPrettyPrinter.FixedSpaceIndenter());
        }

        @Override
        public boolean hasPrettyPrinter() {
            return true;
        }
    }

    private static void closedObject(JsonGenerator json) {
        json.writeStringProperty("type", "object");
        json.writeBooleanProperty("additionalProperties", false);
    }

    private static void named(JsonGenerator json, String name, String meaning, Runnable values) {
        json.writeObjectPropertyStart(name);
        json.writeStringProperty("description", meaning);
        json.writeStringProperty("type", "object");
        json.writeNumberProperty("minProperties", 1);
        json.writeName("additionalProperties");
        values.run();
        json.writeEndObject();
    }

    private static void nested(JsonGenerator json, String name, List<Setting> settings) {
        json.writeName(name);
        object(json, settings, List.of());
    }

    private static void object(JsonGenerator json, List<Setting> settings, List<Runnable> more) {
        json.writeStartObject();
        closedObject(json);
        json.writeArrayPropertyStart("required");
        settings.stream().filter(Setting::required).forEach(setting -> json.writeString(setting.key()));
        json.writeEndArray();
        json.writeObjectPropertyStart("properties");
        settings.forEach(setting -> property(json, setting));
        more.forEach(Runnable::run);
        json.writeEndObject();
        json.writeEndObject();
    }

    private void routes(JsonGenerator json) {
        json.writeObjectPropertyStart("routes");
        json.writeStringProperty("description", "What goes from which source to which sink.");
        json.writeStringProperty("type", "array");
        json.writeNumberProperty("minItems", 1);
        json.writeName("items");
        object(
                json,
                Schema.ROUTE,
                List.of(
                        () -> nested(json, "batch", Schema.BATCH),
                        () -> nested(json, "limit", Schema.LIMIT),
                        () -> nested(json, "records", Schema.RECORDS)));
        json.writeEndObject();
    }

    private void sinks(JsonGenerator json) {
        json.writeStartObject();
        json.writeArrayPropertyStart("oneOf");
        for (SinkProvider provider : schema.sinks().values()) {
            object(json, provider.settings(), List.of(() -> {
                json.writeObjectPropertyStart(Schema.TYPE);
                json.writeStringProperty("const", provider.type());
                json.writeEndObject();
            }));
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void property(JsonGenerator json, Setting setting) {
        json.writeObjectPropertyStart(setting.key());
        json.writeStringProperty("description", setting.meaning());
        switch (setting.kind()) {
            case STRING -> json.writeStringProperty("type", "string");
            case INTEGER -> json.writeStringProperty("type", "integer");
            case BOOLEAN -> json.writeStringProperty("type", "boolean");
            case SIZE -> pattern(json, "^[0-9]+(\\.[0-9]+)?\\s*(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)$");
            case DURATION -> pattern(json, "^[0-9]+(\\.[0-9]+)?\\s*(ms|s|m|h)$");
            case ENUM -> {
                json.writeArrayPropertyStart("enum");
                setting.values().forEach(json::writeString);
                json.writeEndArray();
            }
            case STRINGS -> {
                json.writeStringProperty("type", "array");
                json.writeObjectPropertyStart("items");
                json.writeStringProperty("type", "string");
                json.writeEndObject();
            }
        }
        setting.defaultValue().ifPresent(value -> json.writeStringProperty("default", value));
        json.writeEndObject();
    }

    private static void pattern(JsonGenerator json, String pattern) {
        json.writeStringProperty("type", "string");
        json.writeStringProperty("pattern", pattern);
    }
}
