package tailrace.agent.command;

import static tailrace.agent.config.Units.sizeText;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import tailrace.agent.config.ConfigException;
import tailrace.core.EventLog;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.engine.EngineSettings;
import tailrace.core.engine.EngineSettings.RouteSettings;
import tailrace.core.engine.EngineSettings.SinkSettings;
import tailrace.core.manifest.Archive;
import tailrace.core.manifest.Audit;
import tailrace.linux.LinuxKernel;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** {@code tailrace audit}. */
@Command(
        name = "audit",
        mixinStandardHelpOptions = true,
        description = "Proves from the storage alone that no range of any file is missing there, and none is doubled.",
        footer = {
            "%nExamples:%n  tailrace audit --config tailrace.yaml%n  tailrace audit --from file:/backup/app --deep",
            "%nExit status:%n  0    proven%n  1    not so: the exact ranges are printed; or it cannot be read%n"
                    + "  2    the command line or the configuration is wrong%n"
        })
final class AuditCommand implements Callable<Integer> {
    /** Where to look. */
    static final class Where {
        @Option(
                names = {"-c", "--config"},
                paramLabel = "FILE",
                description = "Every sink of this configuration that can be looked into.")
        private @Nullable Path config;

        @Option(
                names = "--from",
                paramLabel = "URL",
                description = "file:DIR, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://ACCOUNT/CONTAINER/PREFIX.")
        private @Nullable String from;
    }

    @ArgGroup(multiplicity = "1")
    private Where where;

    @Option(names = "--region", paramLabel = "REGION", description = "s3: the bucket's, if not from the environment.")
    private @Nullable String region;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "s3, gs, az: another server that speaks it, as MinIO.")
    private @Nullable String endpoint;

    @Option(names = "--deep", description = "Read every byte and compare the checksums, too.")
    private boolean deep;

    @Option(names = "--proof", description = "Print what is there of each file and epoch, too.")
    private boolean proof;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @CommandLine.Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    AuditCommand() {}

    @Override
    public Integer call() throws ConfigException, IOException {
        boolean proven = true;
        boolean any = false;
        for (SinkSettings settings : sinks()) {
            var context = new SinkProvider.Context(
                    new LinuxKernel(), new EventLog((event, line) -> {}), "audit", "00000000", Integrity.CRC32C);
            try (Sink sink = settings.provider().open(settings.values(), context)) {
                Optional<Archive> opened = sink.archive();
                if (opened.isPresent()) {
                    try (Archive archive = opened.get()) {
                        Audit.Result result = new Audit(archive, deep).run();
                        proven &= result.problems().isEmpty();
                        System.out.println(json ? json(archive.name(), result) : text(archive.name(), result));
                        any = true;
                    }
                }
            }
        }
        if (!any) {
            throw new IOException(
                    "none of the sinks can be looked into: only those of type file, s3, gcs and azure can");
        }
        return proven ? ExitCode.OK : ExitCode.FAILED;
    }

    private Set<SinkSettings> sinks() throws ConfigException {
        EngineSettings engine = where.config != null
                ? Host.configReader().read(where.config).engine()
                : Host.configReader().read("the command line", yaml()).engine();
        return engine.routes().stream().map(RouteSettings::sink).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** A configuration with that sink alone; nothing of it is ever run. */
    private String yaml() {
        Map<String, String> sink =
                new HashMap<>(Destination.of(String.valueOf(where.from), "--from", spec.commandLine()));
        if (region != null) {
            sink.put("region", region);
        }
        if (endpoint != null) {
            sink.put("endpoint", endpoint);
        }
        return "state: /nowhere/state\nsources: {none: {include: [/nowhere/in/*]}}\nsinks: {archive: "
                + Destination.map(sink) + "}\nroutes: [{from: none, to: archive}]";
    }

    private String text(String folder, Audit.Result result) {
        var text = new StringBuilder();
        result.notes().forEach(note -> text.append("note: ").append(note).append('\n'));
        result.problems()
                .forEach(problem -> text.append("PROBLEM: ").append(problem).append('\n'));
        if (proof) {
            result.holdings().forEach(holding -> text.append(line(holding)).append('\n'));
        }
        String checked =
                result.checkedBytes() > 0 ? ", checksums of " + sizeText(result.checkedBytes()) + " agree" : "";
        if (result.problems().isEmpty()) {
            text.append("proven: ");
        } else {
            text.append("not proven, ").append(result.problems().size()).append(" problems: ");
            checked = "";
        }
        return text.append("%s holds %s (%d bytes) of %d files and epochs in %d objects%s"
                        .formatted(
                                folder,
                                sizeText(result.bytes()),
                                result.bytes(),
                                result.files(),
                                result.objects(),
                                checked))
                .toString();
    }

    private static String line(Audit.Holding holding) {
        return "%s %s epoch %d: bytes [%d, %d) %s, in %d extents, as %s"
                .formatted(
                        holding.source(),
                        holding.file(),
                        holding.epoch(),
                        holding.from(),
                        holding.to(),
                        holding.whole() ? "each once" : "NOT WHOLE",
                        holding.extents(),
                        holding.identity());
    }

    private String json(String folder, Audit.Result result) {
        var text = new StringWriter();
        try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
            out.writeStartObject();
            out.writeStringProperty("folder", folder);
            out.writeBooleanProperty("proven", result.problems().isEmpty());
            out.writeNumberProperty("objects", result.objects());
            out.writeNumberProperty("files", result.files());
            out.writeNumberProperty("bytes", result.bytes());
            out.writeNumberProperty("checked_bytes", result.checkedBytes());
            strings(out, "problems", result.problems());
            strings(out, "notes", result.notes());
            if (proof) {
                strings(
                        out,
                        "proof",
                        result.holdings().stream().map(AuditCommand::line).toList());
            }
            out.writeEndObject();
        }
        return text.toString();
    }

    private static void strings(JsonGenerator out, String name, List<String> values) {
        out.writeArrayPropertyStart(name);
        values.forEach(out::writeString);
        out.writeEndArray();
    }
}
