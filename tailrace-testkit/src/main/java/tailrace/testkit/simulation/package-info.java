/**
 * Linux in memory: a {@link tailrace.testkit.simulation.SimulatedMachine} with filesystems, inotify, power cuts and
 * limits, seen by each {@link tailrace.testkit.simulation.SimulatedKernel process} through the interface that the real
 * kernel has. It does nothing by itself and draws no number, so a run is repeated by repeating its calls.
 */
@NullMarked
package tailrace.testkit.simulation;

import org.jspecify.annotations.NullMarked;
