package tailrace.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.testkit.Fuzzer;

/** Configurations that are nearly right: each is read, or refused with its problems. */
class ConfigFuzzTest {
    private static final long SECONDS = Long.getLong("fuzz.seconds", 3);

    @TempDir
    Path work;

    /** What the fuzzer calls. */
    public static final class Configuration {
        private Configuration() {}

        public static void fuzzerTestOneInput(byte[] input) {
            var reader =
                    new ConfigReader(name -> name.equals("HOME") ? "/home/me" : null, "host", 1000, java.util.Set.of());
            try {
                reader.read("fuzzed.yaml", new String(input, StandardCharsets.UTF_8));
            } catch (ConfigException e) {
                if (!String.valueOf(e.getMessage()).contains("fuzzed.yaml")) {
                    throw new AssertionError("a problem that does not say where it is", e);
                }
            }
        }
    }

    @Test
    void aConfigurationIsReadOrRefusedInWords() throws IOException {
        long inputs = Fuzzer.run(Configuration.class, Path.of("src/test/resources/fuzz/config"), work, SECONDS);
        System.out.println("Configuration: " + inputs + " inputs");
        assertThat(inputs).isGreaterThan(100);
    }
}
