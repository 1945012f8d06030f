/** The circle: one step that joins the stages, repeated. */
@NullMarked
package tailrace.core.engine;

import org.jspecify.annotations.NullMarked;
