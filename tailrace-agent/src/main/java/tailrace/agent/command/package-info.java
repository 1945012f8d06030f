/** One class a command; each says in its help what it does, by example, and how it exits. */
@NullMarked
package tailrace.agent.command;

import org.jspecify.annotations.NullMarked;
