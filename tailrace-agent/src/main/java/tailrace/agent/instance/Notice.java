package tailrace.agent.instance;

import java.time.Instant;

/**
 * That the instance will go.
 *
 * @param text who says so and why, for a person; the same as long as the same is meant
 * @param at when, at the earliest
 */
public record Notice(String text, Instant at) {}
