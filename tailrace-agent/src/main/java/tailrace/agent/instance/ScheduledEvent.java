package tailrace.agent.instance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * One of Azure's scheduled events.
 *
 * @param resources the machines it is about
 * @param notBefore RFC 1123; empty when it has begun
 */
record ScheduledEvent(String id, String type, List<String> resources, String notBefore) {
    private static final JsonFactory JSON = new JsonFactory();

    /** All events of a document. */
    static List<ScheduledEvent> all(String document) throws IOException {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), document)) {
            var events = new ArrayList<ScheduledEvent>();
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                boolean isList = json.currentName().equals("Events");
                json.nextToken();
                if (isList) {
                    while (json.nextToken() == JsonToken.START_OBJECT) {
                        events.add(event(json));
                    }
                } else {
                    json.skipChildren();
                }
            }
            return events;
        } catch (JacksonException e) {
            throw new IOException("the scheduled events are no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static ScheduledEvent event(JsonParser json) {
        String id = "";
        String type = "";
        String notBefore = "";
        var resources = new ArrayList<String>();
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "EventId" -> id = json.getString();
                case "EventType" -> type = json.getString();
                case "NotBefore" -> notBefore = json.getString();
                case "Resources" -> {
                    while (json.nextToken() == JsonToken.VALUE_STRING) {
                        resources.add(json.getString());
                    }
                }
                default -> json.skipChildren();
            }
        }
        return new ScheduledEvent(id, type, List.copyOf(resources), notBefore);
    }
}
