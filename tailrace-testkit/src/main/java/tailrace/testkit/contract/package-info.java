/** What every implementation of an interface must do, as JUnit tests to extend. */
@NullMarked
package tailrace.testkit.contract;

import org.jspecify.annotations.NullMarked;
