package tailrace.agent.command;

import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tailrace.agent.config.AgentConfig;
import tailrace.agent.config.ConfigException;
import tailrace.agent.console.Screen;
import tailrace.core.batch.Codec;
import tailrace.core.deliver.Finding;
import tailrace.core.engine.EngineSettings;
import tailrace.core.watch.Source;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** {@code tailrace doctor}. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = "Examines this machine, and with --config the agent's sources, sinks and state directory: what"
                + " works, what works less well, what does not, and what to do about it.",
        footer = {
            "%nExamples:%n  tailrace doctor%n  tailrace doctor --config tailrace.yaml",
            "%nExit status:%n  0    no failure, perhaps warnings%n  1    something does not work%n"
                    + "  2    the command line or the configuration is wrong%n"
        })
final class DoctorCommand implements Callable<Integer> {
    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "The agent's configuration.")
    private @Nullable Path config;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @SuppressWarnings("NullAway.Init") // picocli sets the options
    DoctorCommand() {}

    @Override
    public Integer call() throws ConfigException {
        var diagnosis = new Diagnosis();
        diagnosis.machine();
        if (config != null) {
            AgentConfig agent = Host.configReader().read(config);
            EngineSettings engine = agent.engine();
            diagnosis.state(Path.of(engine.state().toString()));
            var sources = new LinkedHashSet<Source>();
            var folders = new LinkedHashSet<String>();
            var sinks = new LinkedHashSet<EngineSettings.SinkSettings>();
            var codecs = new LinkedHashSet<Codec>();
            for (EngineSettings.RouteSettings route : engine.routes()) {
                sources.add(route.source());
                sinks.add(route.sink());
                if (!route.codec().isNone()) {
                    codecs.add(route.codec());
                }
                if (route.sink().provider().type().equals("file")) {
                    folders.add(route.sink().values().string("path"));
                }
            }
            sources.forEach(diagnosis::source);
            folders.forEach(folder -> diagnosis.fileSink(Path.of(folder)));
            codecs.forEach(diagnosis::codec);
            sinks.forEach(sink -> diagnosis.sink(sink, engine.host()));
            diagnosis.notices(agent.notices());
        } else {
            diagnosis.folder("temporary folder", Path.of(System.getProperty("java.io.tmpdir")));
        }
        List<Diagnosis.Line> findings = diagnosis.findings();
        System.out.print(json ? json(findings) : text(findings));
        return findings.stream().anyMatch(f -> f.grade() == Finding.Grade.FAIL) ? ExitCode.FAILED : ExitCode.OK;
    }

    private static String text(List<Diagnosis.Line> findings) {
        boolean colours = Screen.isTerminal(1) && System.getenv("NO_COLOR") == null;
        var lines = new ArrayList<String>();
        for (Diagnosis.Line finding : findings) {
            String grade = switch (finding.grade()) {
                case OK -> colours ? "\u001B[32mok  \u001B[0m" : "ok  ";
                case WARN -> colours ? "\u001B[33mwarn\u001B[0m" : "warn";
                case FAIL -> colours ? "\u001B[31mFAIL\u001B[0m" : "FAIL";
            };
            lines.add(grade + "  " + finding.subject() + ": " + finding.message());
        }
        return String.join("\n", lines) + "\n";
    }

    private static String json(List<Diagnosis.Line> findings) {
        var text = new StringWriter();
        try (JsonGenerator out = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
            out.writeStartArray();
            for (Diagnosis.Line finding : findings) {
                out.writeStartObject();
                out.writeStringProperty("grade", finding.grade().name().toLowerCase(java.util.Locale.ROOT));
                out.writeStringProperty("subject", finding.subject());
                out.writeStringProperty("message", finding.message());
                out.writeEndObject();
            }
            out.writeEndArray();
        }
        return text + "\n";
    }
}
