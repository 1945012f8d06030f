/** What a person sees on a terminal, and what a log collector sees elsewhere. */
@NullMarked
package tailrace.agent.console;

import org.jspecify.annotations.NullMarked;
