package tailrace.agent.command;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** A sink on the command line, as a URL; and the configuration that it stands for. */
final class Destination {
    static final String FORMS = "file:DIR, s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://ACCOUNT/CONTAINER/PREFIX,"
            + " kafka://HOST:PORT,HOST:PORT/TOPIC, https://HOST/PATH, otlp+https://HOST:PORT or tcp://HOST:PORT";

    private Destination() {}

    /**
     * The sink's section of a configuration.
     *
     * @param option where the URL stood, for messages
     */
    static Map<String, String> of(String url, String option, CommandLine commandLine) {
        var sink = new HashMap<String, String>();
        if (url.startsWith("file:")) {
            sink.put("type", "file");
            sink.put(
                    "path",
                    Path.of(url.substring("file:".length()))
                            .toAbsolutePath()
                            .normalize()
                            .toString());
        } else if (url.startsWith("tcp://")) {
            int colon = url.lastIndexOf(':');
            if (colon < "tcp://".length()) {
                throw new CommandLine.ParameterException(commandLine, option + " tcp://HOST:PORT needs a port");
            }
            sink.put("type", "tcp");
            sink.put("host", url.substring("tcp://".length(), colon).replaceAll("[\\[\\]]", ""));
            sink.put("port", url.substring(colon + 1));
        } else if (url.startsWith("s3://")) {
            String[] names = url.substring("s3://".length()).split("/", 2);
            sink.put("type", "s3");
            sink.put("bucket", names[0]);
            sink.put("prefix", names.length > 1 ? names[1] : "");
        } else if (url.startsWith("gs://")) {
            String[] names = url.substring("gs://".length()).split("/", 2);
            sink.put("type", "gcs");
            sink.put("bucket", names[0]);
            sink.put("prefix", names.length > 1 ? names[1] : "");
        } else if (url.startsWith("az://")) {
            String[] names = url.substring("az://".length()).split("/", 3);
            if (names.length < 2 || names[1].isEmpty()) {
                throw new CommandLine.ParameterException(
                        commandLine, option + " az://ACCOUNT/CONTAINER/PREFIX needs a container");
            }
            sink.put("type", "azure");
            sink.put("account", names[0]);
            sink.put("container", names[1]);
            sink.put("prefix", names.length > 2 ? names[2] : "");
        } else if (url.startsWith("kafka://")) {
            String[] names = url.substring("kafka://".length()).split("/", 2);
            if (names.length < 2 || names[1].isEmpty()) {
                throw new CommandLine.ParameterException(
                        commandLine, option + " kafka://HOST:PORT/TOPIC needs a topic");
            }
            sink.put("type", "kafka");
            sink.put("brokers", names[0]);
            sink.put("topic", names[1]);
        } else if (url.startsWith("otlp+http://") || url.startsWith("otlp+https://")) {
            sink.put("type", "otlp");
            sink.put("url", url.substring("otlp+".length()));
        } else if (url.startsWith("http://") || url.startsWith("https://")) {
            sink.put("type", "http");
            sink.put("url", url);
        } else {
            throw new CommandLine.ParameterException(commandLine, option + " is " + FORMS + ", not '" + url + "'");
        }
        return sink;
    }

    static String list(List<String> values) {
        return "[" + String.join(", ", values.stream().map(Destination::quoted).toList()) + "]";
    }

    static String map(Map<String, String> values) {
        return "{"
                + String.join(
                        ", ",
                        values.entrySet().stream()
                                .map(e -> e.getKey() + ": " + quoted(e.getValue()))
                                .toList())
                + "}";
    }

    /** In YAML's single quotes; a reference to the environment stays what it is. */
    static String quoted(String text) {
        return "'" + text.replace("'", "''").replace("${", "$${") + "'";
    }
}
