package tailrace.agent.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tailrace.agent.config.ConfigReader;
import tailrace.agent.instance.InstanceDisks;
import tailrace.core.engine.EngineSettings;

/** What this machine says of itself. */
final class Host {
    private static final long USUAL_LIMIT = 1024;

    private Host() {}

    static String name() {
        return firstLine("/proc/sys/kernel/hostname", "localhost");
    }

    static String firstLine(String file, String otherwise) {
        try {
            List<String> lines = Files.readAllLines(Path.of(file));
            return lines.isEmpty() ? otherwise : lines.getFirst().strip();
        } catch (IOException e) {
            return otherwise;
        }
    }

    /** How many descriptors this process may open: the JVM has raised its soft limit to the hard one. */
    static long descriptorLimit() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
                if (line.startsWith("Max open files")) {
                    String soft =
                            line.substring("Max open files".length()).strip().split("\\s+")[0];
                    return soft.equals("unlimited") ? Integer.MAX_VALUE : Long.parseLong(soft);
                }
            }
        } catch (IOException | NumberFormatException e) {
            return USUAL_LIMIT;
        }
        return USUAL_LIMIT;
    }

    static ConfigReader configReader() {
        return new ConfigReader(
                System::getenv, name(), EngineSettings.maxOpenFiles(descriptorLimit()), InstanceDisks.find());
    }
}
