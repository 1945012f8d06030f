/** What tests of tailrace, and of sinks for it, are made of. */
module tailrace.testkit {
    requires transitive tailrace.core;
    requires static org.jspecify;

    exports tailrace.testkit;
    exports tailrace.testkit.simulation;
    exports tailrace.testkit.torture;

    uses tailrace.core.deliver.SinkProvider;
}
