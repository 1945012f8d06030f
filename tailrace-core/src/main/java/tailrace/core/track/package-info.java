/** Second stage: who a file is, how far it has grown, what became of it. */
@NullMarked
package tailrace.core.track;

import org.jspecify.annotations.NullMarked;
