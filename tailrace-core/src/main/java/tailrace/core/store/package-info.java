/** Sinks that are object stores: start at {@link tailrace.core.store.ObjectStore}. */
@NullMarked
package tailrace.core.store;

import org.jspecify.annotations.NullMarked;
