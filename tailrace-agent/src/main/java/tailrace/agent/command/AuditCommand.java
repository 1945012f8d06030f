package tailrace.agent.command;

import static tailrace.agent.config.Units.sizeText;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tailrace.agent.config.ConfigException;
import tailrace.core.engine.EngineSettings.RouteSettings;
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
                description = "Every file sink of this configuration.")
        private @Nullable Path config;

        @Option(names = "--from", paramLabel = "URL", description = "file:DIR, the folder of a file sink.")
        private @Nullable String from;
    }

    @ArgGroup(multiplicity = "1")
    private Where where;

    @Option(names = "--deep", description = "Read every byte and compare the checksums, too.")
    private boolean deep;

    @Option(names = "--proof", description = "Print what is there of each file and epoch, too.")
    private boolean proof;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    AuditCommand() {}

    @Override
    public Integer call() throws ConfigException, IOException {
        boolean proven = true;
        for (Map.Entry<String, Path> folder : folders().entrySet()) {
            Audit.Result result = new Audit(new LinuxKernel(), folder.getValue(), deep).run();
            proven &= result.problems().isEmpty();
            System.out.println(json ? json(folder.getValue(), result) : text(folder.getValue(), result));
        }
        return proven ? ExitCode.OK : ExitCode.FAILED;
    }

    private Map<String, Path> folders() throws ConfigException, IOException {
        var folders = new LinkedHashMap<String, Path>();
        if (where.config != null) {
            for (RouteSettings route :
                    Host.configReader().read(where.config).engine().routes()) {
                if (route.sink().provider().type().equals("file")) {
                    folders.put(
                            route.sink().name(), Path.of(route.sink().values().string("path")));
                }
            }
            if (folders.isEmpty()) {
                throw new IOException("the configuration has no file sink: only those can be audited so far");
            }
        } else if (where.from != null && where.from.startsWith("file:")) {
            folders.put("", Path.of(where.from.substring("file:".length())).toAbsolutePath());
        } else {
            throw new IOException("--from is file:DIR, not '" + where.from + "'");
        }
        return folders;
    }

    private String text(Path folder, Audit.Result result) {
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

    private String json(Path folder, Audit.Result result) {
        var text = new StringWriter();
        try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
            out.writeStartObject();
            out.writeStringProperty("folder", folder.toString());
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
