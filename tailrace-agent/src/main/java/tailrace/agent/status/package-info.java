/** The books of a running agent, over a unix socket. */
@NullMarked
package tailrace.agent.status;

import org.jspecify.annotations.NullMarked;
