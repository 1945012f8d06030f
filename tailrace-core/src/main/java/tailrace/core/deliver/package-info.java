/** Fifth stage: sealed batches are carried to a sink; the contract of a sink. */
@NullMarked
package tailrace.core.deliver;

import org.jspecify.annotations.NullMarked;
