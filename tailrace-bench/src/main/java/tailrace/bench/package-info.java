/** Comparisons with cp, C programs and loops of system calls, in one run on one machine, as ratios. */
@NullMarked
package tailrace.bench;

import org.jspecify.annotations.NullMarked;
