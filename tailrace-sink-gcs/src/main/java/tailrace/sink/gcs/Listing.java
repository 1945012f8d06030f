package tailrace.sink.gcs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tailrace.core.deliver.DeliveryException;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What is used of an answer in JSON.
 *
 * @param texts the strings and numbers on top
 * @param names the names of its items, if it has any
 */
record Listing(Map<String, String> texts, List<String> names) {
    private static final JsonFactory JSON = new JsonFactory();

    static Listing of(String body) throws DeliveryException {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), body)) {
            var texts = new HashMap<String, String>();
            var names = new ArrayList<String>();
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (name.equals("items") && value == JsonToken.START_ARRAY) {
                    while (json.nextToken() == JsonToken.START_OBJECT) {
                        names.add(nameOf(json));
                    }
                } else if (value.isScalarValue()) {
                    texts.put(name, json.getString());
                } else {
                    json.skipChildren();
                }
            }
            return new Listing(texts, names);
        } catch (JacksonException e) {
            throw DeliveryException.transientFailure(
                    "the answer is no JSON. Does the endpoint speak Google Cloud Storage?", e);
        }
    }

    private static String nameOf(JsonParser json) {
        String found = "";
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean isName = json.currentName().equals("name");
            json.nextToken();
            if (isName) {
                found = json.getString();
            } else {
                json.skipChildren();
            }
        }
        return found;
    }

    boolean has(String name) {
        return texts.containsKey(name);
    }

    /** Empty if it is not there. */
    String text(String name) {
        return texts.getOrDefault(name, "");
    }
}
