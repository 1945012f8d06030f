package tailrace.testkit;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs Jazzer, which looks for inputs that lead a reader on ways not gone before, in a process of its own. A target is a
 * class with {@code public static void fuzzerTestOneInput(byte[])}, which catches what its reader promises to throw.
 */
public final class Fuzzer {
    private static final Pattern DONE = Pattern.compile("Done (\\d+) (runs|fuzz)");

    private Fuzzer() {}

    /**
     * Plays a corpus, and then what comes of it, for a while.
     *
     * @param corpus is not changed
     * @param work what Jazzer finds goes here: new inputs, and the one that broke the reader
     * @return how many inputs were read
     * @throws AssertionError with what Jazzer says, if one broke the reader
     */
    public static long run(Class<?> target, Path corpus, Path work, long seconds) throws IOException {
        Path found = Files.createDirectories(work.resolve("found"));
        String classPath =
                System.getProperty("java.class.path") + File.pathSeparator + System.getProperty("jdk.module.path", "");
        Process jazzer = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath,
                        "com.code_intelligence.jazzer.Jazzer",
                        "--target_class=" + target.getName(),
                        "--instrumentation_includes=tailrace.**",
                        "--reproducer_path=" + work,
                        "-artifact_prefix=" + work + "/",
                        "-max_total_time=" + seconds,
                        found.toString(),
                        corpus.toAbsolutePath().toString()))
                .redirectErrorStream(true)
                .start();
        try (InputStream output = jazzer.getInputStream()) {
            String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
            int exit = jazzer.waitFor();
            Matcher done = DONE.matcher(text);
            if (exit != 0 || !done.find()) {
                throw new AssertionError("Jazzer ended with " + exit + ":\n" + text);
            }
            return Long.parseLong(done.group(1));
        } catch (InterruptedException e) {
            jazzer.destroyForcibly();
            throw new IOException("interrupted while Jazzer ran", e);
        }
    }
}
