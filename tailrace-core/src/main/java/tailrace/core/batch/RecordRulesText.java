package tailrace.core.batch;

import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tailrace.core.batch.RecordRules.Filter;
import tailrace.core.batch.RecordRules.Origin;
import tailrace.core.batch.RecordRules.TooLong;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** {@link RecordRules} as a text: JSON, of what is not as usual. */
final class RecordRulesText {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String LABEL = "label.";

    private RecordRulesText() {}

    static String of(RecordRules rules) {
        var out = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            framing(json, rules.framing());
            json.writeStringProperty("encoding", rules.encoding().text());
            rules.filter().include().ifPresent(pattern -> json.writeStringProperty("include", pattern.pattern()));
            rules.filter().exclude().ifPresent(pattern -> json.writeStringProperty("exclude", pattern.pattern()));
            json.writeNumberProperty("max", rules.maxBytes());
            json.writeStringProperty("too_long", rules.tooLong().name());
            rules.envelope().ifPresent(origin -> {
                json.writeStringProperty("host", origin.host());
                json.writeStringProperty("source", origin.source());
                origin.labels().forEach((name, value) -> json.writeStringProperty(LABEL + name, value));
            });
            json.writeEndObject();
        }
        return out.toString();
    }

    private static void framing(JsonGenerator json, Framing framing) {
        switch (framing) {
            case Framing.Lines lines -> json.writeStringProperty("framing", "line");
            case Framing.Raw raw -> json.writeStringProperty("framing", "raw");
            case Framing.Cri cri -> json.writeStringProperty("framing", "cri");
            case Framing.WholeFile whole -> json.writeStringProperty("framing", "whole_file");
            case Framing.Length(Framing.Prefix prefix) -> json.writeStringProperty("framing", prefix.name());
            case Framing.Multiline(Pattern pattern, boolean begins) -> {
                json.writeStringProperty("framing", begins ? "begins" : "continues");
                json.writeStringProperty("pattern", pattern.pattern());
            }
        }
    }

    /** @throws IllegalStateException if it is none: the ledger's checksum says that it was written so */
    static RecordRules parse(String text) {
        Map<String, String> values = values(text);
        Optional<Origin> envelope = Optional.ofNullable(values.get("host"))
                .map(host -> new Origin(host, value(values, "source"), labels(values)));
        return new RecordRules(
                framing(value(values, "framing"), values),
                Encoding.of(value(values, "encoding")),
                new Filter(pattern(values, "include"), pattern(values, "exclude")),
                Long.parseLong(value(values, "max")),
                TooLong.valueOf(value(values, "too_long")),
                envelope);
    }

    private static Framing framing(String name, Map<String, String> values) {
        return switch (name) {
            case "line" -> Framing.LINES;
            case "raw" -> new Framing.Raw();
            case "cri" -> new Framing.Cri();
            case "whole_file" -> new Framing.WholeFile();
            case "begins", "continues" ->
                new Framing.Multiline(Pattern.compile(value(values, "pattern")), name.equals("begins"));
            default -> new Framing.Length(Framing.Prefix.valueOf(name.toUpperCase(Locale.ROOT)));
        };
    }

    private static Map<String, String> labels(Map<String, String> values) {
        var labels = new LinkedHashMap<String, String>();
        values.forEach((name, value) -> {
            if (name.startsWith(LABEL)) {
                labels.put(name.substring(LABEL.length()), value);
            }
        });
        return labels;
    }

    private static Optional<Pattern> pattern(Map<String, String> values, String name) {
        return Optional.ofNullable(values.get(name)).map(Pattern::compile);
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("the rules of a batch lack " + name);
        }
        return value;
    }

    private static Map<String, String> values(String text) {
        var values = new LinkedHashMap<String, String>();
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                values.put(name, json.getString());
            }
            return values;
        } catch (JacksonException e) {
            throw new IllegalStateException("the rules of a batch are no JSON: " + text, e);
        }
    }
}
