/** The sink that is a directory. */
@NullMarked
package tailrace.core.sink.file;

import org.jspecify.annotations.NullMarked;
