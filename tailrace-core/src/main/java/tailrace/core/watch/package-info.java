/** First stage: the kernel tells which names appeared, grew, moved or vanished. */
@NullMarked
package tailrace.core.watch;

import org.jspecify.annotations.NullMarked;
