package tailrace.agent.status;

import java.io.StringWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tailrace.core.engine.Status;
import tailrace.core.track.Books;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A {@link Status} as JSON, and back. */
public final class StatusJson {
    private static final JsonFactory JSON = new JsonFactory();

    private StatusJson() {}

    /** One line. */
    public static String write(Status status) {
        var text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            json.writeStringProperty("host", status.host());
            json.writeStringProperty("ledger", status.ledger());
            json.writeStringProperty("started_at", status.startedAt().toString());
            json.writeBooleanProperty("draining", status.draining());
            json.writeNumberProperty("files", status.files());
            json.writeNumberProperty("unreadable", status.unreadable());
            json.writeNumberProperty("batches_delivered", status.batchesDelivered());
            json.writeArrayPropertyStart("routes");
            for (Status.RouteStatus route : status.routes()) {
                json.writeStartObject();
                json.writeStringProperty("route", route.route());
                books(json, route.books());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayPropertyStart("lagging");
            for (Status.FileStatus file : status.lagging()) {
                json.writeStartObject();
                json.writeStringProperty("file", file.file());
                json.writeStringProperty("route", file.route());
                books(json, file.books());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void books(JsonGenerator json, Books books) {
        json.writeNumberProperty("seen", books.seen());
        json.writeNumberProperty("delivered", books.delivered());
        json.writeNumberProperty("pending", books.pending());
        json.writeNumberProperty("lost", books.lost());
        json.writeNumberProperty("filtered", books.filtered());
    }

    /** What {@link #write} wrote. */
    public static Status read(String text) {
        String host = "";
        String ledger = "";
        Instant startedAt = Instant.EPOCH;
        boolean draining = false;
        int files = 0;
        int unreadable = 0;
        long batches = 0;
        List<Row> routes = List.of();
        List<Row> lagging = List.of();
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "host" -> host = json.getString();
                    case "ledger" -> ledger = json.getString();
                    case "started_at" -> startedAt = Instant.parse(json.getString());
                    case "draining" -> draining = json.getBooleanValue();
                    case "files" -> files = json.getIntValue();
                    case "unreadable" -> unreadable = json.getIntValue();
                    case "batches_delivered" -> batches = json.getLongValue();
                    case "routes" -> routes = rows(json);
                    case "lagging" -> lagging = rows(json);
                    default -> json.skipChildren();
                }
            }
        }
        return new Status(
                host,
                ledger,
                startedAt,
                draining,
                files,
                unreadable,
                batches,
                routes.stream()
                        .map(row -> new Status.RouteStatus(row.route, row.books))
                        .toList(),
                lagging.stream()
                        .map(row -> new Status.FileStatus(row.file, row.route, row.books))
                        .toList());
    }

    private record Row(String file, String route, Books books) {}

    private static List<Row> rows(JsonParser json) {
        var rows = new ArrayList<Row>();
        while (json.nextToken() == JsonToken.START_OBJECT) {
            String file = "";
            String route = "";
            var numbers = new java.util.HashMap<String, Long>();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "file" -> file = json.getString();
                    case "route" -> route = json.getString();
                    default -> numbers.put(name, json.getLongValue());
                }
            }
            rows.add(new Row(
                    file,
                    route,
                    new Books(
                            numbers.getOrDefault("seen", 0L),
                            numbers.getOrDefault("delivered", 0L),
                            numbers.getOrDefault("pending", 0L),
                            numbers.getOrDefault("lost", 0L),
                            numbers.getOrDefault("filtered", 0L))));
        }
        return rows;
    }
}
