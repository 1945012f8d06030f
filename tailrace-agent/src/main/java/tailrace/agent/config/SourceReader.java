package tailrace.agent.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import tailrace.core.deliver.SettingValues;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;
import tailrace.core.watch.Glob;
import tailrace.core.watch.Source;

/** Reads {@code sources}: which files are meant, and what is in them. */
final class SourceReader {
    /** A source, and how long an unfinished record of it may rest. */
    record SourceWithFlush(Source source, Duration flushPartialAfter) {}

    private final Problems problems;

    SourceReader(Problems problems) {
        this.problems = problems;
    }

    Map<String, SourceWithFlush> read(Section top) {
        var sources = new LinkedHashMap<String, SourceWithFlush>();
        Section all = top.section("sources").orElse(top);
        if (all == top) {
            problems.add(top.line(), "'sources' is missing: which files are meant, by name");
            return sources;
        }
        for (String name : all.keys()) {
            Section section = all.section(name).orElseThrow();
            SettingValues values = section.read(Schema.SOURCE);
            section.refuseUnknown();
            List<Glob> includes = globs(section, values, "include", true);
            List<Glob> excludes = globs(section, values, "exclude", false);
            Section.checkName(name, "source", section.line(), problems);
            Framing framing = framing(section, values);
            Encoding encoding = encoding(section, values, framing);
            Map<String, String> labels = labels(section, values);
            if (!includes.isEmpty() && values.has("follow_symlinks") && values.has("flush_partial_after")) {
                var source = new Source(
                        name, includes, excludes, values.isTrue("follow_symlinks"), framing, encoding, labels);
                sources.put(name, new SourceWithFlush(source, values.duration("flush_partial_after")));
            }
        }
        if (all.keys().isEmpty()) {
            problems.add(all.line(), "'sources' is empty: which files are meant?");
        }
        return sources;
    }

    private Map<String, String> labels(Section section, SettingValues values) {
        try {
            return Labels.of(values.has("labels") ? values.strings("labels") : List.of());
        } catch (IllegalArgumentException e) {
            problems.add(section.lineOf("labels"), String.valueOf(e.getMessage()));
            return Map.of();
        }
    }

    private Framing framing(Section section, SettingValues values) {
        String kind = values.optionalString("framing").orElse("line");
        boolean hasStart = values.has("record_start");
        boolean hasContinuation = values.has("record_continuation");
        boolean isMultiline = kind.equals("multiline");
        if (isMultiline != (hasStart || hasContinuation) || (hasStart && hasContinuation)) {
            problems.add(
                    section.lineOf("framing"),
                    "framing: multiline needs either record_start or record_continuation, and no other framing has"
                            + " one");
            return Framing.LINES;
        }
        return switch (kind) {
            case "raw" -> new Framing.Raw();
            case "cri" -> new Framing.Cri();
            case "whole_file" -> new Framing.WholeFile();
            case "length" ->
                new Framing.Length(prefix(values.optionalString("length_prefix").orElse("u32be")));
            case "multiline" -> multiline(section, values, hasStart ? "record_start" : "record_continuation");
            default -> Framing.LINES;
        };
    }

    private static Framing.Prefix prefix(String text) {
        return Framing.Prefix.valueOf(text.replace("u32", "u32_").toUpperCase(Locale.ROOT));
    }

    private Framing multiline(Section section, SettingValues values, String key) {
        Optional<Pattern> pattern = section.pattern(values, key);
        return pattern.<Framing>map(found -> new Framing.Multiline(found, key.equals("record_start")))
                .orElse(Framing.LINES);
    }

    private Encoding encoding(Section section, SettingValues values, Framing framing) {
        Encoding encoding = Encoding.of(values.optionalString("encoding").orElse(Encoding.UTF_8.text()));
        boolean looksIntoLines = framing instanceof Framing.Cri || framing instanceof Framing.Multiline;
        if (encoding.unitBytes() > 1 && looksIntoLines) {
            problems.add(
                    section.lineOf("encoding"),
                    "encoding: " + encoding.text() + " goes with framing: line, length, whole_file and raw alone");
        }
        return encoding;
    }

    private List<Glob> globs(Section section, SettingValues values, String key, boolean absolute) {
        var globs = new ArrayList<Glob>();
        if (!values.has(key)) {
            return globs;
        }
        for (String pattern : values.strings(key)) {
            try {
                if (absolute && !pattern.startsWith("/")) {
                    throw new IllegalArgumentException(
                            "the pattern '" + pattern + "' must be absolute: it begins with /");
                }
                globs.add(new Glob(pattern));
            } catch (IllegalArgumentException e) {
                problems.add(section.lineOf(key), String.valueOf(e.getMessage()));
            }
        }
        if (absolute && values.strings(key).isEmpty()) {
            problems.add(section.lineOf(key), "'" + key + "' is empty: which files are meant?");
        }
        return globs;
    }
}
