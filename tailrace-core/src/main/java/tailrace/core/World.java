package tailrace.core;

import java.util.random.RandomGenerator;
import tailrace.linux.Kernel;

/**
 * Everything that is not deterministic: system calls, time, threads, chance. Whoever supplies another world can replay
 * a whole run from a number.
 */
public record World(Kernel kernel, Clock clock, Workers workers, RandomGenerator random) {}
