package tailrace.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import tailrace.testkit.Fuzzer;

/** Configurations that are nearly right: each is read, or refused with its problems. */
class ConfigFuzzTest {
    private static final long SECONDS = Long.getLong("fuzz.seconds", 3);

    @Test
    void aConfigurationIsReadOrRefusedInWords() throws IOException {
        var reader = new ConfigReader(name -> name.equals("HOME") ? "/home/me" : null, "host", 1000);
        long seed = ThreadLocalRandom.current().nextLong();
        long inputs = new Fuzzer(Path.of("src/test/resources/fuzz/config"), seed)
                .run(
                        input -> {
                            try {
                                reader.read("fuzzed.yaml", new String(input, StandardCharsets.UTF_8));
                            } catch (ConfigException e) {
                                assertThat(e.getMessage()).contains("fuzzed.yaml");
                                throw new Fuzzer.Refused(e);
                            }
                        },
                        SECONDS);
        System.out.println("config: " + inputs + " inputs from seed " + seed);
        assertThat(inputs).isGreaterThan(100);
    }
}
