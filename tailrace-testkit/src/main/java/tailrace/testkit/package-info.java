/** Writers and checkers that find every lost, doubled or garbled line; engines and receivers to put between them. */
@NullMarked
package tailrace.testkit;

import org.jspecify.annotations.NullMarked;
