package tailrace.core.manifest;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import tailrace.core.manifest.ManifestEntry.Part;
import tailrace.core.track.Withheld;
import tailrace.linux.LinuxPath;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Manifest entries as lines of JSON. A path that is no plain text stands as hexadecimal bytes under a name that ends in
 * {@code _hex}. Unknown names are skipped, so that later versions can add some.
 */
public final class ManifestCodec {
    private static final JsonFactory JSON = new JsonFactory();
    private static final String HEX_SUFFIX = "_hex";

    private ManifestCodec() {}

    /** The entry with a newline before it and behind it: so a line torn by a crash spoils only itself. */
    public static byte[] toLine(ManifestEntry entry) {
        var out = new ByteArrayOutputStream();
        out.write('\n');
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            json.writeNumberProperty("v", 1);
            json.writeStringProperty("batch", entry.batch());
            json.writeStringProperty("host", entry.host());
            json.writeStringProperty("source", entry.source());
            path(json, "key", entry.key());
            json.writeNumberProperty("position", entry.position());
            json.writeNumberProperty("length", entry.lengthBytes());
            if (entry.crc32c().isPresent()) {
                json.writeStringProperty(
                        "crc32c", HexFormat.of().toHexDigits(entry.crc32c().getAsInt()));
            }
            if (!entry.encoding().isEmpty()) {
                json.writeStringProperty("encoding", entry.encoding());
            }
            if (!entry.envelope().isEmpty()) {
                json.writeStringProperty("envelope", entry.envelope());
            }
            json.writeStringProperty("sealed_at", entry.sealedAt().toString());
            json.writeArrayPropertyStart("extents");
            for (Part part : entry.extents()) {
                json.writeStartObject();
                part(json, part);
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        out.write('\n');
        return out.toByteArray();
    }

    private static void part(JsonGenerator json, Part part) {
        path(json, "file", part.file());
        json.writeStringProperty("identity", part.identity());
        json.writeNumberProperty("epoch", part.epoch());
        json.writeNumberProperty("from", part.from());
        json.writeNumberProperty("to", part.to());
        if (part.withheld().filteredBytes() > 0) {
            json.writeNumberProperty("filtered", part.withheld().filteredBytes());
        }
        if (part.withheld().truncatedBytes() > 0) {
            json.writeNumberProperty("truncated", part.withheld().truncatedBytes());
        }
    }

    /** A final manifest: a line for each range. */
    public static byte[] toLines(List<PendingRange> pending) {
        var out = new ByteArrayOutputStream();
        for (PendingRange range : pending) {
            try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), out)) {
                json.writeStartObject();
                json.writeNumberProperty("v", 1);
                json.writeStringProperty("host", range.host());
                json.writeStringProperty("source", range.source());
                json.writeStringProperty("at", range.at().toString());
                part(json, range.part());
                json.writeEndObject();
            }
            out.write('\n');
        }
        return out.toByteArray();
    }

    /** @throws IllegalArgumentException if the line is none of a final manifest */
    public static PendingRange pendingFromLine(String line) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), line)) {
            expect(json.nextToken(), JsonToken.START_OBJECT);
            var reader = new PartReader();
            String host = "";
            String source = "";
            Instant at = Instant.EPOCH;
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                switch (name) {
                    case "host" -> host = json.getString();
                    case "source" -> source = json.getString();
                    case "at" -> at = Instant.parse(json.getString());
                    default -> reader.take(name, json);
                }
            }
            return new PendingRange(host, source, at, reader.part());
        } catch (JacksonException | NumberFormatException | java.time.DateTimeException e) {
            throw new IllegalArgumentException("not a line of a final manifest: " + e.getMessage(), e);
        }
    }

    private static void path(JsonGenerator json, String name, LinuxPath path) {
        if (path.isText()) {
            json.writeStringProperty(name, path.toString());
        } else {
            json.writeStringProperty(name + HEX_SUFFIX, HexFormat.of().formatHex(path.bytes()));
        }
    }

    /** @throws IllegalArgumentException if the line is no manifest entry */
    public static ManifestEntry fromLine(String line) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), line)) {
            return entry(json);
        } catch (JacksonException | NumberFormatException | java.time.DateTimeException e) {
            throw new IllegalArgumentException("not a manifest entry: " + e.getMessage(), e);
        }
    }

    private static ManifestEntry entry(JsonParser json) {
        String batch = "";
        String host = "";
        String source = "";
        LinuxPath key = LinuxPath.of("");
        long position = -1;
        long length = -1;
        OptionalInt crc = OptionalInt.empty();
        String encoding = "";
        String envelope = "";
        Instant sealedAt = Instant.EPOCH;
        List<Part> parts = List.of();
        expect(json.nextToken(), JsonToken.START_OBJECT);
        while (json.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = json.currentName();
            json.nextToken();
            switch (name) {
                case "batch" -> batch = json.getString();
                case "host" -> host = json.getString();
                case "source" -> source = json.getString();
                case "key", "key_hex" -> key = path(name, json.getString());
                case "position" -> position = json.getLongValue();
                case "length" -> length = json.getLongValue();
                case "crc32c" -> crc = OptionalInt.of(Integer.parseUnsignedInt(json.getString(), 16));
                case "encoding" -> encoding = json.getString();
                case "envelope" -> envelope = json.getString();
                case "sealed_at" -> sealedAt = Instant.parse(json.getString());
                case "extents" -> parts = parts(json);
                default -> json.skipChildren();
            }
        }
        if (batch.isEmpty() || position < 0 || length < 0) {
            throw new IllegalArgumentException("not a manifest entry: batch, position or length is missing");
        }
        return new ManifestEntry(batch, host, source, key, position, length, crc, encoding, envelope, sealedAt, parts);
    }

    private static List<Part> parts(JsonParser json) {
        var parts = new ArrayList<Part>();
        expect(json.currentToken(), JsonToken.START_ARRAY);
        while (json.nextToken() == JsonToken.START_OBJECT) {
            var reader = new PartReader();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                json.nextToken();
                reader.take(name, json);
            }
            parts.add(reader.part());
        }
        return parts;
    }

    /** Collects the properties of a part. */
    private static final class PartReader {
        private LinuxPath file = LinuxPath.of("");
        private String identity = "";
        private int epoch;
        private long from;
        private long to;
        private long filtered;
        private long truncated;

        void take(String name, JsonParser json) {
            switch (name) {
                case "file", "file_hex" -> file = path(name, json.getString());
                case "identity" -> identity = json.getString();
                case "epoch" -> epoch = json.getIntValue();
                case "from" -> from = json.getLongValue();
                case "to" -> to = json.getLongValue();
                case "filtered" -> filtered = json.getLongValue();
                case "truncated" -> truncated = json.getLongValue();
                default -> json.skipChildren();
            }
        }

        Part part() {
            return new Part(file, identity, epoch, from, to, new Withheld(filtered, truncated));
        }
    }

    private static LinuxPath path(String name, String value) {
        return name.endsWith(HEX_SUFFIX) ? LinuxPath.ofBytes(HexFormat.of().parseHex(value)) : LinuxPath.of(value);
    }

    private static void expect(JsonToken found, JsonToken wanted) {
        if (found != wanted) {
            throw new IllegalArgumentException("not a manifest entry: " + found + " where " + wanted + " should be");
        }
    }
}
