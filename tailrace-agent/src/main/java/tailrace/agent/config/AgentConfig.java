package tailrace.agent.config;

import java.time.Duration;
import java.util.List;
import tailrace.core.engine.EngineSettings;

/**
 * A configuration that was found to be sound.
 *
 * @param notes what works, but may not be what was meant
 */
public record AgentConfig(EngineSettings engine, Duration drainTimeout, List<String> notes) {
    public AgentConfig {
        notes = List.copyOf(notes);
    }
}
