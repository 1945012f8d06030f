package tailrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Records;

/** How files are cut into records, of at most ten bytes here. */
class RecordsTest {
    private static final int MAX_BYTES = 10;

    @TempDir
    Path folder;

    private List<String> records(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("app.log"), text);
        var records = new ArrayList<String>();
        try (var sealed = new SealedFile(file, "lane-0", 1)) {
            Records.each(sealed.content(), RecordRules.PLAIN, MAX_BYTES, taken -> {
                String found = new String(taken.content(), UTF_8);
                assertThat(text.substring((int) taken.offset())).startsWith(found);
                records.add(found);
            });
        }
        return records;
    }

    private static List<String> parts(String line) {
        var parts = new ArrayList<String>();
        for (int at = 0; at == 0 || at < line.length(); at += MAX_BYTES) {
            parts.add(line.substring(at, Math.min(line.length(), at + MAX_BYTES)));
        }
        return parts;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8, 9, 10, 11, 12, 13, 19, 20, 21, 22, 23, 300_000})
    void linesOfAnyLengthArriveWhole(int length) throws Exception {
        String line =
                "abcdefghijklmnopqrstuvwxyz0123456789".repeat(length / 36 + 1).substring(0, length);
        for (String end : List.of("\n", "\r\n")) {
            var expected = new ArrayList<String>(List.of("first"));
            expected.addAll(parts(line));
            expected.add("last");
            assertThat(records("first\n" + line + end + "last\n"))
                    .as(length + end)
                    .isEqualTo(expected);
        }
        if (length > 0) {
            assertThat(records(line)).as(length + " without an end").isEqualTo(parts(line));
        }
    }
}
