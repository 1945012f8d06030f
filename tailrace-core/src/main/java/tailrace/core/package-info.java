/** What every stage stands on: the world outside, and the log of events. */
@NullMarked
package tailrace.core;

import org.jspecify.annotations.NullMarked;
