package tailrace.core.track;

import tailrace.core.watch.Source;

/**
 * Where a source's files go, as far as tracking is concerned.
 *
 * @param index its place among all routes, from 0; may differ from run to run
 * @param name what the ledger knows it by: {@code source>sink}
 */
public record Route(int index, String name, Source source) {}
