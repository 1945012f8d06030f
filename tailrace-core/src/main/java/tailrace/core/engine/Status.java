package tailrace.core.engine;

import java.time.Instant;
import java.util.List;
import tailrace.core.track.Books;

/**
 * The engine at one moment.
 *
 * @param unreadable files that match and cannot be opened at present: nothing of them is in the books
 * @param batchesDelivered since the start
 */
public record Status(
        String host,
        String ledger,
        Instant startedAt,
        boolean draining,
        int files,
        int unreadable,
        long batchesDelivered,
        List<RouteStatus> routes,
        List<FileStatus> lagging) {
    public Status {
        routes = List.copyOf(routes);
        lagging = List.copyOf(lagging);
    }

    public record RouteStatus(String route, Books books) {}

    /** A file with pending bytes. */
    public record FileStatus(String file, String route, Books books) {}

    /** All routes' books together. */
    public Books books() {
        return routes.stream().map(RouteStatus::books).reduce(Books.EMPTY, Books::plus);
    }
}
