package tailrace.testkit.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tailrace.testkit.Fuzzer;

/** What is read from outside is read, or refused in words: see {@link Targets}. */
class FuzzTest {
    private static final long SECONDS = Long.getLong("fuzz.seconds", 3);
    private static final Path CORPUS = Path.of("src/test/resources/fuzz");

    @TempDir
    Path work;

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "LedgerBytes, ledger",
        "LedgerRecords, ledger",
        "ManifestLine, manifest",
        "AuditedManifest, manifest",
        "WireFrame, frame",
    })
    void everyInputIsReadOrRefused(String target, String corpus) throws IOException, ClassNotFoundException {
        Class<?> type = Class.forName(Targets.class.getName() + "$" + target);
        long inputs = Fuzzer.run(type, CORPUS.resolve(corpus), work, SECONDS);
        System.out.println(target + ": " + inputs + " inputs");
        assertThat(inputs).isGreaterThan(100);
    }
}
