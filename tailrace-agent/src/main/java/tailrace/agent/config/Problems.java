package tailrace.agent.config;

import java.util.ArrayList;
import java.util.List;

/** Everything that is wrong with a configuration, in the order of its lines. */
final class Problems {
    private record Problem(int line, String message) {}

    private final List<Problem> problems = new ArrayList<>();

    /** @param line from 1; 0 where there is none */
    void add(int line, String message) {
        problems.add(new Problem(line, message));
    }

    boolean isEmpty() {
        return problems.isEmpty();
    }

    List<String> lines() {
        return problems.stream()
                .sorted(java.util.Comparator.comparingInt(Problem::line))
                .map(p -> p.line == 0 ? p.message : "line " + p.line + ": " + p.message)
                .distinct()
                .toList();
    }
}
