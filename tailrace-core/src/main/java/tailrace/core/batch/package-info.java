/** Third stage: which extents travel together, and under which key. */
@NullMarked
package tailrace.core.batch;

import org.jspecify.annotations.NullMarked;
