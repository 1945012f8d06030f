/** What was delivered, written beside it, so that the storage alone can prove it. */
@NullMarked
package tailrace.core.manifest;

import org.jspecify.annotations.NullMarked;
