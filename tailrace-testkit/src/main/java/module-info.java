/** What tests of tailrace, and of sinks for it, are made of. */
module tailrace.testkit {
    requires transitive tailrace.core;
    requires static org.assertj.core;
    requires static org.jspecify;
    requires static org.junit.jupiter.api;

    exports tailrace.testkit;
    exports tailrace.testkit.contract;
    exports tailrace.testkit.simulation;
    exports tailrace.testkit.torture;

    uses tailrace.core.deliver.SinkProvider;
}
