/** The agent by HTTP, for orchestrators and people. */
@NullMarked
package tailrace.agent.admin;

import org.jspecify.annotations.NullMarked;
