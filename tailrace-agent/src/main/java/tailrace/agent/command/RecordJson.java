package tailrace.agent.command;

import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A record as a line of JSON: its type, and its components under their names. */
final class RecordJson {
    private RecordJson() {}

    static String write(Record value) {
        var text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
            object(json, value, true);
        }
        return text.toString();
    }

    private static void object(JsonGenerator json, Record value, boolean withType) {
        json.writeStartObject();
        if (withType) {
            json.writeStringProperty("type", value.getClass().getSimpleName());
        }
        for (RecordComponent component : value.getClass().getRecordComponents()) {
            json.writeName(component.getName());
            value(json, read(component, value));
        }
        json.writeEndObject();
    }

    private static @Nullable Object read(RecordComponent component, Record value) {
        try {
            return component.getAccessor().invoke(value);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("the accessors of a public record are public", e);
        }
    }

    private static void value(JsonGenerator json, @Nullable Object value) {
        switch (value) {
            case Integer number -> json.writeNumber(number);
            case Long number -> json.writeNumber(number);
            case OptionalInt number -> json.writeNumber(number.orElse(0));
            case List<?> list -> {
                json.writeStartArray();
                list.forEach(element -> value(json, element));
                json.writeEndArray();
            }
            case tailrace.core.track.FileIdentity identity -> json.writeString(identity.toString());
            case Record nested -> object(json, nested, false);
            case null -> json.writeNull();
            default -> json.writeString(value.toString());
        }
    }
}
