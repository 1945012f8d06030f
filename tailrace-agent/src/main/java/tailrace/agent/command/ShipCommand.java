package tailrace.agent.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import tailrace.agent.config.AgentConfig;
import tailrace.agent.config.ConfigException;
import tailrace.agent.console.Screen;
import tailrace.core.Event;

/** {@code tailrace ship}: a configuration from the command line. */
@Command(
        name = "ship",
        mixinStandardHelpOptions = true,
        description = "Delivers files to one destination: everything that is there, and with --follow everything that"
                + " comes. Interrupt it when you like: the same command goes on where it stopped.",
        footer = {
            "%nExamples:%n"
                    + "  tailrace ship --include '/var/log/app/**/*.log' --to file:/backup/app%n"
                    + "  tailrace ship --include '/var/log/app/*.log' --to tcp://10.0.0.7:9000 --follow%n"
                    + "  tailrace ship --include '/data/*.csv' --to file:/archive --layout objects%n"
                    + "  tailrace ship --include '/data/*.csv' --to s3://archive/data --region eu-central-1%n"
                    + "  tailrace ship --include '/data/*.csv' --to kafka://broker:9093/data --set tls=true",
            ExitCode.HELP
        })
final class ShipCommand implements Callable<Integer> {
    /** Enough to end what is under way; the rest is for the next call. */
    private static final Duration INTERRUPT_TIMEOUT = Duration.ofSeconds(5);

    @Option(names = "--include", required = true, paramLabel = "PATTERN", description = "Files; may be repeated.")
    private List<String> includes;

    @Option(names = "--exclude", paramLabel = "PATTERN", description = "Files to leave alone; may be repeated.")
    private List<String> excludes = List.of();

    @Option(names = "--to", required = true, paramLabel = "URL", description = Destination.FORMS)
    private String to;

    @Option(names = "--follow", description = "Keep going, and deliver what is added.")
    private boolean follow;

    @Option(
            names = "--layout",
            paramLabel = "LAYOUT",
            description = "file: append mirrors the files (default); objects.")
    private @Nullable String layout;

    @Option(
            names = "--key",
            paramLabel = "TEMPLATE",
            description = "Where a batch is put; by default {path} to file:DIR.")
    private @Nullable String key;

    @Option(
            names = "--compress",
            paramLabel = "gzip|zstd",
            description = "Each batch is compressed; to file:DIR it implies the layout objects.")
    private @Nullable String compress;

    @Option(names = "--durability", paramLabel = "fsync|none", description = "file: fsync (default) or none.")
    private @Nullable String durability;

    @Option(names = "--integrity", paramLabel = "crc32c|length", description = "crc32c (default), or pure zero-copy.")
    private @Nullable String integrity;

    @Option(names = "--framing", paramLabel = "batch|raw", description = "tcp: batch (default) or raw.")
    private @Nullable String framing;

    @Option(names = "--region", paramLabel = "REGION", description = "s3: the bucket's, if not from the environment.")
    private @Nullable String region;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "s3, gs, az: another server that speaks it, as MinIO.")
    private @Nullable String endpoint;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "Any other setting of the sink, as in a configuration; may be repeated.")
    private Map<String, String> settings = Map.of();

    @Option(names = "--batch-bytes", paramLabel = "SIZE", description = "A batch is sealed at this size: 64MiB.")
    private @Nullable String batchBytes;

    @Option(names = "--batch-age", paramLabel = "TIME", description = "Or when its oldest byte is this old: 1s.")
    private String batchAge = "1s";

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Where positions are kept; by default a folder of this user's, one for each destination.")
    private @Nullable Path state;

    @Option(
            names = {"-q", "--quiet"},
            description = "Only warnings and errors.")
    private boolean quiet;

    @CommandLine.Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    ShipCommand() {}

    @Override
    public Integer call() throws ConfigException, IOException {
        AgentConfig config = Host.configReader().read("the command line", yaml());
        var screen = new Screen(quiet || !follow ? Event.Level.WARN : Event.Level.INFO);
        return AgentRun.run(config, screen, follow, INTERRUPT_TIMEOUT);
    }

    /** The command line as a configuration, so that there is one way to read either. */
    private String yaml() {
        Path folder = state == null ? defaultState() : state.toAbsolutePath();
        var lines = new ArrayList<String>();
        lines.add("state: " + Destination.quoted(folder.toString()));
        lines.add("sources: {files: {include: " + Destination.list(absolute(includes)) + ", exclude: "
                + Destination.list(excludes) + "}}");
        lines.add("sinks: {destination: " + Destination.map(sink()) + "}");
        var route = new HashMap<String, String>(Map.of("from", "files", "to", "destination"));
        putIfGiven(route, "key", key);
        putIfGiven(route, "compress", compress);
        putIfGiven(route, "integrity", integrity);
        var batch = new HashMap<String, String>(Map.of("age", batchAge));
        putIfGiven(batch, "bytes", batchBytes);
        String mapped = Destination.map(route);
        lines.add("routes: [" + mapped.substring(0, mapped.length() - 1) + ", batch: " + Destination.map(batch) + "}]");
        return String.join("\n", lines);
    }

    private Map<String, String> sink() {
        var sink = new HashMap<>(Destination.of(to, "--to", spec.commandLine()));
        String type = sink.getOrDefault("type", "");
        if (type.equals("file")) {
            sink.put("layout", layout != null ? layout : compress == null ? "append" : "objects");
            putIfGiven(sink, "durability", durability);
        } else if (type.equals("tcp")) {
            putIfGiven(sink, "framing", framing);
        } else if (type.equals("s3")) {
            putIfGiven(sink, "region", region);
        }
        if (List.of("s3", "gcs", "azure").contains(type)) {
            putIfGiven(sink, "endpoint", endpoint);
        }
        if (settings.containsKey("type")) {
            throw new CommandLine.ParameterException(spec.commandLine(), "--set: the type of the sink is said by --to");
        }
        sink.putAll(settings);
        return sink;
    }

    private static void putIfGiven(Map<String, String> map, String key, @Nullable String value) {
        if (value != null) {
            map.put(key, value);
        }
    }

    private static List<String> absolute(List<String> patterns) {
        String here = Path.of("").toAbsolutePath().toString();
        return patterns.stream()
                .map(pattern -> pattern.startsWith("/") ? pattern : here + "/" + pattern)
                .toList();
    }

    /** One state directory for each set of patterns and destination, so that a repeated command goes on. */
    private Path defaultState() {
        var crc = new CRC32C();
        crc.update((absolute(includes) + " " + to + " " + layout + " " + key + (compress == null ? "" : " " + compress))
                .getBytes(UTF_8));
        String name = "ship-" + HexFormat.of().toHexDigits((int) crc.getValue());
        String base = System.getenv("XDG_STATE_HOME");
        if (base == null || base.isEmpty()) {
            base = System.getProperty("user.home") + "/.local/state";
        }
        return Path.of(base, "tailrace", name.toLowerCase(Locale.ROOT));
    }
}
