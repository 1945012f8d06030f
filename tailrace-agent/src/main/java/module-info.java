/** The agent: command line, configuration, and what a person sees. Nothing depends on it. */
module tailrace.agent {
    requires java.net.http;
    requires jdk.httpserver;
    requires tailrace.core;
    requires info.picocli;
    requires org.snakeyaml.engine;
    requires tools.jackson.core;
    requires static org.jspecify;

    opens tailrace.agent.command to
            info.picocli;

    uses tailrace.core.deliver.SinkProvider;
}
