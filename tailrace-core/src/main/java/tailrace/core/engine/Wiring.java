package tailrace.core.engine;

import java.util.ArrayList;
import java.util.List;
import tailrace.core.batch.KeyTemplate;
import tailrace.core.batch.RoutePlan;
import tailrace.core.deliver.Sink;
import tailrace.core.track.Route;
import tailrace.core.watch.Glob;
import tailrace.core.watch.Source;
import tailrace.linux.LinuxPath;

/** From settings to what the stages are told. */
final class Wiring {
    /** Batches sealed ahead of the couriers, beyond those under way. */
    private static final int SEALED_AHEAD = 2;

    /** Of a sink with a lane per key, so many keys' batches: most of them wait for the ledger together. */
    private static final int MAX_OUTSTANDING_PER_KEY = 256;

    private Wiring() {}

    static List<Route> routes(EngineSettings settings) {
        var routes = new ArrayList<Route>();
        for (EngineSettings.RouteSettings route : settings.routes()) {
            routes.add(new Route(routes.size(), route.name(), route.source()));
        }
        return List.copyOf(routes);
    }

    static RoutePlan plan(Route route, EngineSettings settings, Sink sink) {
        EngineSettings.RouteSettings wanted = settings.routes().get(route.index());
        boolean lanePerKey = sink.traits().ordered() && sink.traits().lanes() == 0;
        return new RoutePlan(
                route,
                commonRoot(route.source()),
                new KeyTemplate(wanted.key()),
                wanted.codec(),
                wanted.rules(),
                wanted.batchBytes(),
                wanted.batchAge().toMillis(),
                wanted.flushPartialAfter().toMillis(),
                sink.traits().lanes(),
                sink.traits().ordered(),
                lanePerKey ? MAX_OUTSTANDING_PER_KEY : sink.traits().concurrency() + SEALED_AHEAD);
    }

    private static LinuxPath commonRoot(Source source) {
        LinuxPath common = source.includes().getFirst().root();
        for (Glob include : source.includes()) {
            while (!include.root().startsWith(common)) {
                common = common.parent();
            }
        }
        return common;
    }
}
