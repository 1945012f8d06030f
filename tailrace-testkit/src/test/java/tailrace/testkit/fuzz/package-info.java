/** Readers of what comes from outside, fed with what is nearly right. The corpus lies in the test's resources. */
@NullMarked
package tailrace.testkit.fuzz;

import org.jspecify.annotations.NullMarked;
