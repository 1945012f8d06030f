/** tailrace.yaml: read whole, checked whole, all problems told at once with their lines. */
@NullMarked
package tailrace.agent.config;

import org.jspecify.annotations.NullMarked;
