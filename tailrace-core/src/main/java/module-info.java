/**
 * The way of the data, one package a stage: watch, track, batch, ledger, deliver; engine closes the circle.
 *
 * <p>Start at {@link tailrace.core.engine.Engine}. To add a destination implement {@link
 * tailrace.core.deliver.SinkProvider}.
 */
module tailrace.core {
    requires transitive tailrace.linux;
    requires aircompressor.v3;
    requires tools.jackson.core;
    requires static org.jspecify;

    exports tailrace.core;
    exports tailrace.core.watch;
    exports tailrace.core.track;
    exports tailrace.core.batch;
    exports tailrace.core.ledger;
    exports tailrace.core.deliver;
    exports tailrace.core.engine;
    exports tailrace.core.manifest;
    exports tailrace.core.store;

    uses tailrace.core.deliver.SinkProvider;

    provides tailrace.core.deliver.SinkProvider with
            tailrace.core.sink.file.FileSinkProvider,
            tailrace.core.sink.tcp.TcpSinkProvider;
}
