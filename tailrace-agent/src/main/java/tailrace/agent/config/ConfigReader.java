package tailrace.agent.config;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.composer.Composer;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;
import tailrace.agent.config.SourceReader.SourceWithFlush;
import tailrace.agent.instance.NoticeSettings;
import tailrace.core.batch.Codec;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.RateLimit;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.engine.EngineSettings;
import tailrace.core.engine.EngineSettings.RouteSettings;
import tailrace.core.engine.EngineSettings.SinkSettings;
import tailrace.core.track.EphemeralDisks;
import tailrace.core.track.PinSettings;
import tailrace.linux.LinuxPath;

/** Reads tailrace.yaml: everything that is wrong is told at once, each with its line. */
public final class ConfigReader {
    private static final Pattern ADDRESS = Pattern.compile("\\[?([^\\[\\]]+)]?:([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;

    private final Schema schema = new Schema();
    private final Function<String, @Nullable String> environment;
    private final String hostName;
    private final int maxOpenFiles;
    private final Set<Long> ephemeralDevices;

    /**
     * @param environment the values of environment variables
     * @param hostName what the host is called if the file does not say
     * @param ephemeralDevices of the file systems that go with the instance
     */
    public ConfigReader(
            Function<String, @Nullable String> environment,
            String hostName,
            int maxOpenFiles,
            Set<Long> ephemeralDevices) {
        this.environment = environment;
        this.hostName = hostName;
        this.maxOpenFiles = maxOpenFiles;
        this.ephemeralDevices = ephemeralDevices;
    }

    /** Reads a file. */
    public AgentConfig read(Path file) throws ConfigException {
        try {
            return read(file.toString(), Files.readString(file, StandardCharsets.UTF_8));
        } catch (NoSuchFileException e) {
            throw new ConfigException(file.toString(), List.of("there is no such file"));
        } catch (CharacterCodingException e) {
            throw new ConfigException(file.toString(), List.of("it is not UTF-8 text"));
        } catch (IOException e) {
            throw new ConfigException(file.toString(), List.of("it cannot be read: " + e.getMessage()));
        }
    }

    /**
     * Reads a text.
     *
     * @param name of the file, for messages
     */
    public AgentConfig read(String name, String text) throws ConfigException {
        var problems = new Problems();
        Optional<Node> root = Optional.empty();
        try {
            LoadSettings settings = LoadSettings.builder().setLabel(name).build();
            var parser = new ParserImpl(settings, new StreamReader(settings, text));
            root = new Composer(settings, parser).getSingleNode();
        } catch (MarkedYamlEngineException e) {
            problems.add(e.getProblemMark().map(mark -> mark.getLine() + 1).orElse(0), "not YAML: " + problem(e, text));
        } catch (YamlEngineException e) {
            problems.add(0, "not YAML: " + e.getMessage());
        }
        Optional<AgentConfig> config =
                root.map(node -> read(new Section("", node, new Interpolation(environment), problems), problems));
        if (root.isEmpty() && problems.isEmpty()) {
            problems.add(0, "it is empty: at least sources, sinks and routes are needed");
        }
        if (config.isEmpty() || !problems.isEmpty()) {
            throw new ConfigException(name, problems.lines());
        }
        return config.get();
    }

    private static String problem(MarkedYamlEngineException e, String text) {
        if (text.contains("\t")) {
            return e.getProblem() + " (there is a tab in the file: YAML is indented by spaces)";
        }
        return e.getProblem()
                + (text.contains("${") ? " (within { } and [ ] a reference needs quotes: '${NAME}')" : "");
    }

    private AgentConfig read(Section top, Problems problems) {
        SettingValues values = top.read(Schema.TOP);
        var notes = new ArrayList<String>();
        String host = values.optionalString("host").orElse(hostName);
        Map<String, SourceWithFlush> sources = new SourceReader(problems).read(top);
        Map<String, SinkSettings> sinks = sinks(top, problems);
        List<RouteSettings> routes = routes(top, sources, sinks, host, problems, notes);
        SettingValues drain = section(top, "drain", Schema.DRAIN);
        SettingValues pins = section(top, "pins", Schema.PINS);
        Optional<InetSocketAddress> admin = address(section(top, "admin", Schema.ADMIN), top, problems);
        top.refuseUnknown();
        String state = values.has("state") ? values.string("state") : "";
        if (!state.startsWith("/")) {
            problems.add(top.lineOf("state"), "'state' must be an absolute path, not '" + state + "'");
        }
        var engine = new EngineSettings(
                LinuxPath.of(state),
                host,
                routes,
                maxOpenFiles,
                pins(pins, state, top, problems),
                new EphemeralDisks(ephemeralDevices, ephemeral(drain, top, problems)));
        Duration timeout = drain.has("timeout") ? drain.duration("timeout") : Duration.ZERO;
        return new AgentConfig(engine, timeout, notices(drain, top, problems), admin, notes);
    }

    private static Optional<InetSocketAddress> address(SettingValues admin, Section top, Problems problems) {
        Optional<String> listen = admin.optionalString("listen");
        if (listen.isEmpty()) {
            return Optional.empty();
        }
        Matcher matcher = ADDRESS.matcher(listen.get());
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
            problems.add(top.lineOf("admin"), "'admin.listen' is HOST:PORT, not '" + listen.get() + "'");
            return Optional.empty();
        }
        return Optional.of(new InetSocketAddress(matcher.group(1), Integer.parseInt(matcher.group(2))));
    }

    private static List<LinuxPath> ephemeral(SettingValues drain, Section top, Problems problems) {
        List<String> folders = drain.has("ephemeral") ? drain.strings("ephemeral") : List.of();
        for (String folder : folders) {
            if (!folder.startsWith("/")) {
                problems.add(
                        top.lineOf("drain"), "'drain.ephemeral' has absolute paths of folders, not '" + folder + "'");
            }
        }
        return folders.stream().map(LinuxPath::of).toList();
    }

    private static NoticeSettings notices(SettingValues drain, Section top, Problems problems) {
        try {
            return new NoticeSettings(
                    drain.has("notices") ? drain.strings("notices") : List.of(),
                    drain.optionalString("metadata_url").map(ConfigReader::httpUrl),
                    drain.optionalString("notice_file").map(Path::of),
                    drain.optionalString("notice_url").map(ConfigReader::httpUrl));
        } catch (IllegalArgumentException e) {
            problems.add(top.lineOf("drain"), String.valueOf(e.getMessage()));
            return NoticeSettings.NONE;
        }
    }

    private static URI httpUrl(String text) {
        URI url = URI.create(text);
        if (url.getHost() == null || !List.of("http", "https").contains(url.getScheme())) {
            throw new IllegalArgumentException("a URL begins with http:// or https://, unlike '" + text + "'");
        }
        return url;
    }

    private static PinSettings pins(SettingValues values, String state, Section top, Problems problems) {
        String path = values.optionalString("path").orElse(state + "/pins");
        int percent = values.has("percent_of_free") ? values.integer("percent_of_free") : 0;
        if (!path.startsWith("/")) {
            problems.add(top.lineOf("pins"), "'pins.path' must be an absolute path, not '" + path + "'");
        }
        if (percent < 0 || percent > 100) {
            problems.add(top.lineOf("pins"), "'pins.percent_of_free' is from 0 to 100, not " + percent);
            percent = 0;
        }
        PinSettings.Mode mode = values.has("mode")
                ? PinSettings.Mode.valueOf(values.string("mode").toUpperCase(Locale.ROOT))
                : PinSettings.Mode.OFF;
        Duration after = values.has("after") ? values.duration("after") : Duration.ZERO;
        return new PinSettings(
                mode, after, LinuxPath.of(path), values.has("bytes") ? values.sizeBytes("bytes") : 0, percent);
    }

    /** The values of a section that need not be there. */
    private static SettingValues section(Section top, String key, List<Setting> settings) {
        Section section = top.section(key).orElseGet(() -> top.absent(key));
        SettingValues values = section.read(settings);
        section.refuseUnknown();
        return values;
    }

    private Map<String, SinkSettings> sinks(Section top, Problems problems) {
        var sinks = new LinkedHashMap<String, SinkSettings>();
        Section all = top.section("sinks").orElse(top);
        if (all == top) {
            problems.add(top.line(), "'sinks' is missing: where files are delivered to, by name");
            return sinks;
        }
        List<String> types = List.copyOf(schema.sinks().keySet());
        Setting type = new Setting(
                Schema.TYPE, Setting.Kind.ENUM, types, true, Optional.empty(), "one of " + String.join(", ", types));
        for (String name : all.keys()) {
            Section section = all.section(name).orElseThrow();
            Section.checkName(name, "sink", section.line(), problems);
            SettingValues typed = section.read(List.of(type));
            if (!typed.has(Schema.TYPE)) {
                continue;
            }
            SinkProvider provider = schema.sinks().get(typed.string(Schema.TYPE));
            if (provider != null) {
                SettingValues values = section.read(provider.settings());
                section.refuseUnknown();
                sinks.put(name, new SinkSettings(name, provider, values));
            }
        }
        if (all.keys().isEmpty()) {
            problems.add(all.line(), "'sinks' is empty: where are files delivered to?");
        }
        return sinks;
    }

    private List<RouteSettings> routes(
            Section top,
            Map<String, SourceWithFlush> sources,
            Map<String, SinkSettings> sinks,
            String host,
            Problems problems,
            List<String> notes) {
        var routes = new ArrayList<RouteSettings>();
        List<Section> sections = top.sections("routes");
        for (Section section : sections) {
            SettingValues values = section.read(Schema.ROUTE);
            SettingValues batch = section(section, "batch", Schema.BATCH);
            SettingValues limit = section(section, "limit", Schema.LIMIT);
            Section records = section.section("records").orElseGet(() -> section.absent("records"));
            SettingValues wanted = records.read(Schema.RECORDS);
            records.refuseUnknown();
            section.refuseUnknown();
            SourceWithFlush source = known(section, values, "from", sources, "source", problems);
            SinkSettings sink = known(section, values, "to", sinks, "sink", problems);
            if (source == null
                    || sink == null
                    || !batch.has("bytes")
                    || !batch.has("age")
                    || !values.has("integrity")
                    || !wanted.has("too_long")
                    || !wanted.has("envelope")) {
                continue;
            }
            try {
                RecordRules rules = RecordsReader.read(records, wanted, source.source(), sink, host);
                RouteSettings route = route(values, batch, limit, rules, source, sink);
                RouteRules.check(route, routes, section, problems);
                routes.add(route);
            } catch (IllegalArgumentException e) {
                problems.add(section.lineOf("key"), String.valueOf(e.getMessage()));
            }
        }
        if (sections.isEmpty()) {
            problems.add(top.line(), "'routes' is missing: what goes from which source to which sink");
        }
        noteUnused(sources.keySet(), routes.stream().map(r -> r.source().name()).toList(), "source", notes);
        noteUnused(sinks.keySet(), routes.stream().map(r -> r.sink().name()).toList(), "sink", notes);
        return routes;
    }

    private static RouteSettings route(
            SettingValues values,
            SettingValues batch,
            SettingValues limit,
            RecordRules rules,
            SourceWithFlush source,
            SinkSettings sink) {
        String key = values.optionalString("key").orElse(sink.provider().defaultKey(sink.values()));
        if (batch.sizeBytes("bytes") < 1) {
            throw new IllegalArgumentException("batch.bytes must be at least 1B");
        }
        return new RouteSettings(
                source.source(),
                sink,
                Labels.fill(key, source.source().labels()),
                codec(values, sink),
                rules,
                batch.sizeBytes("bytes"),
                batch.duration("age"),
                source.flushPartialAfter(),
                Integrity.valueOf(values.string("integrity").toUpperCase(Locale.ROOT)),
                limit(limit),
                values.optionalString("dead_letters").map(ConfigReader::absolute));
    }

    private static LinuxPath absolute(String folder) {
        if (!folder.startsWith("/")) {
            throw new IllegalArgumentException("dead_letters is an absolute path, not '" + folder + "'");
        }
        return LinuxPath.of(folder);
    }

    private static RateLimit limit(SettingValues limit) {
        long bytes = limit.has("bytes") ? limit.sizeBytes("bytes") : 0;
        int batches = limit.has("batches") ? limit.integer("batches") : 0;
        if ((limit.has("bytes") && bytes < 1) || (limit.has("batches") && batches < 1)) {
            throw new IllegalArgumentException("limit.bytes and limit.batches are at least 1 a second");
        }
        return new RateLimit(bytes, batches);
    }

    private static Codec codec(SettingValues values, SinkSettings sink) {
        var format = Codec.Format.valueOf(values.string("compress").toUpperCase(Locale.ROOT));
        Codec codec =
                values.has("compress_level") ? Codec.of(format, values.integer("compress_level")) : Codec.of(format);
        if (!codec.isNone() && !sink.provider().takesCompressed(sink.values())) {
            throw new IllegalArgumentException(
                    "compress: " + format.text() + " does not go with the sink " + sink.name()
                            + (sink.provider().type().equals("file")
                                    ? ": use layout: objects"
                                    : ", which takes records or a stream"));
        }
        return codec;
    }

    private static <T> @Nullable T known(
            Section section, SettingValues values, String key, Map<String, T> all, String what, Problems problems) {
        if (!values.has(key)) {
            return null;
        }
        T found = all.get(values.string(key));
        if (found == null && !all.isEmpty()) {
            problems.add(
                    section.lineOf(key),
                    "there is no " + what + " '" + values.string(key) + "'"
                            + Section.nearest(values.string(key), List.copyOf(all.keySet())));
        }
        return found;
    }

    private static void noteUnused(Iterable<String> defined, List<String> used, String what, List<String> notes) {
        for (String name : defined) {
            if (!used.contains(name)) {
                notes.add("the " + what + " '" + name + "' is in no route");
            }
        }
    }
}
