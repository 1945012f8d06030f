/** Fourth stage: what must be remembered over a crash, in a journal. */
@NullMarked
package tailrace.core.ledger;

import org.jspecify.annotations.NullMarked;
