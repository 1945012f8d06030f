/**
 * Whole-system simulation: an engine with its couriers, ledger and sinks lives through a script of writers, faults and
 * crashes, on one thread and simulated time, and everything that was promised is checked. A seed is a script; the same
 * seed is the same life.
 */
@NullMarked
package tailrace.testkit.torture;

import org.jspecify.annotations.NullMarked;
