package tailrace.agent.config;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tailrace.agent.instance.NoticeSettings;
import tailrace.core.engine.EngineSettings;

/**
 * A configuration that was found to be sound.
 *
 * @param admin where the agent listens for HTTP, if it does
 * @param notes what works, but may not be what was meant
 */
public record AgentConfig(
        EngineSettings engine,
        Duration drainTimeout,
        NoticeSettings notices,
        Optional<InetSocketAddress> admin,
        List<String> notes) {
    public AgentConfig {
        notes = List.copyOf(notes);
    }
}
