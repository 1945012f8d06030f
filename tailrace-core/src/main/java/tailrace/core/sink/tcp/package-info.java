/** The sink that is a TCP peer. */
@NullMarked
package tailrace.core.sink.tcp;

import org.jspecify.annotations.NullMarked;
