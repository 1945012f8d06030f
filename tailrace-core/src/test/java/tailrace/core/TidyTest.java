package tailrace.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Style that can run: every source of every module. */
class TidyTest {
    private static final int MAX_FILE_LINES = 500;

    /** The longest is a flat switch over every record of the ledger. */
    private static final int MAX_METHOD_LINES = 70;

    private static final Pattern VAGUE_NAME = Pattern.compile(".*(Manager|Helper|Utils?|Impl)\\.java");
    private static final Pattern METHOD = Pattern.compile("^ {4}\\S.*\\) (throws [^{]*)?\\{$");

    private record Source(Path path, List<String> lines) {}

    private static List<Source> sources() throws IOException {
        var sources = new ArrayList<Source>();
        try (var modules = Files.newDirectoryStream(Path.of(".."), "tailrace-*")) {
            for (Path module : modules) {
                try (var files = Files.walk(module.resolve("src"))) {
                    for (Path file :
                            files.filter(f -> f.toString().endsWith(".java")).toList()) {
                        sources.add(new Source(file, Files.readAllLines(file)));
                    }
                }
            }
        }
        assertThat(sources).hasSizeGreaterThan(100);
        return sources;
    }

    @Test
    void filesHaveOneIdea() throws IOException {
        assertThat(sources().stream().filter(source -> source.lines.size() > MAX_FILE_LINES))
                .extracting(source -> source.path + ": " + source.lines.size() + " lines")
                .isEmpty();
    }

    @Test
    void methodsFitOnAScreen() throws IOException {
        for (Source source : sources()) {
            int start = -1;
            for (int i = 0; i < source.lines.size(); i++) {
                String line = source.lines.get(i);
                if (METHOD.matcher(line).matches()) {
                    start = i;
                } else if (line.equals("    }") && start >= 0) {
                    assertThat(i - start).as(source.path + ":" + (start + 1)).isLessThanOrEqualTo(MAX_METHOD_LINES);
                    start = -1;
                }
            }
        }
    }

    @Test
    void namesSayWhatThingsAre() throws IOException {
        assertThat(sources())
                .allSatisfy(source ->
                        assertThat(source.path.getFileName().toString()).doesNotMatch(VAGUE_NAME));
    }

    @Test
    void nothingIsLeftUnfinished() throws IOException {
        Pattern unfinished = Pattern.compile("TO" + "DO|FIX" + "ME|@Dis" + "abled|System\\.loadLi" + "brary");
        assertThat(sources())
                .allSatisfy(source -> assertThat(source.lines)
                        .as(source.path.toString())
                        .noneMatch(line -> unfinished.matcher(line).find()));
    }
}
