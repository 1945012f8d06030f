package tailrace.agent.instance;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The strings of a JSON object. */
final class Fields {
    private static final JsonFactory JSON = new JsonFactory();

    private Fields() {}

    static Map<String, String> of(String document) throws IOException {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            var fields = new HashMap<String, String>();
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                if (json.nextToken() == JsonToken.VALUE_STRING) {
                    fields.put(name, json.getString());
                } else {
                    json.skipChildren();
                }
            }
            return fields;
        } catch (JacksonException e) {
            throw new IOException("the answer is no JSON: " + e.getOriginalMessage(), e);
        }
    }
}
