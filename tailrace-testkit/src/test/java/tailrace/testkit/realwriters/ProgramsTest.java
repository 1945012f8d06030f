package tailrace.testkit.realwriters;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tailrace.testkit.LineWriter;
import tailrace.testkit.NumberedLine;
import tailrace.testkit.Tool;

/** Loggers of other languages, supervisors' log writers, copying tools and editors. */
class ProgramsTest {
    private static final int LINES = 10_000;

    @TempDir
    Path folder;

    private static void feed(Process process, String writer, int lines) throws IOException {
        try (OutputStream to = process.getOutputStream()) {
            for (int i = 0; i < lines; i++) {
                to.write(new NumberedLine(writer, i).bytes(Scene.LINE_BYTES));
                if (i % 100 == 0) {
                    to.flush();
                }
            }
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(Tool.await(process)).as(output).isZero();
    }

    /** A file of numbered lines outside the followed folder. */
    private static Path made(Scene scene, String name, int lines) throws IOException {
        Path file = scene.work.resolve(name);
        try (var writer = new LineWriter(name, Scene.LINE_BYTES, file)) {
            writer.write(lines);
        }
        return file;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RotatingFileHandler(f, maxBytes=50000, backupCount=200)",
                "TimedRotatingFileHandler(f, when='S', interval=1)",
            })
    void pythonsHandlersRotateWithoutLossOrDoubles(String handler) throws IOException {
        Tool python = Scene.tool("python3", "python3");
        try (var scene = new Scene(folder, "objects")) {
            Process process = python.start(
                    scene.work,
                    "-c",
                    """
                    import logging.handlers, sys
                    f = sys.argv[1]
                    log = logging.getLogger('app')
                    log.addHandler(logging.handlers.%s)
                    for line in sys.stdin:
                        log.warning(line.rstrip())
                    """.formatted(handler),
                    scene.in.resolve("app.log").toString());
            feed(process, "python", LINES);
            scene.written("python", LINES);
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void pythonsWatchedFileHandlerGoesOnInANewFile() throws IOException {
        Tool python = Scene.tool("python3", "python3");
        try (var scene = new Scene(folder, "objects")) {
            Process process = python.start(
                    scene.work, "-c", """
                    import logging.handlers, os, sys
                    f = sys.argv[1]
                    log = logging.getLogger('app')
                    log.addHandler(logging.handlers.WatchedFileHandler(f))
                    for i, line in enumerate(sys.stdin):
                        log.warning(line.rstrip())
                        if i % 500 == 499:
                            os.rename(f, f + '.' + str(i))
                    """, scene.in.resolve("app.log").toString());
            feed(process, "python", LINES);
            scene.written("python", LINES);
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void svlogdRotatesWithoutLossOrDoubles() throws IOException {
        Tool svlogd = Scene.tool("svlogd", "runit");
        try (var scene = new Scene(folder, "objects")) {
            Path log = Files.createDirectory(scene.in.resolve("svlogd"));
            Files.writeString(log.resolve("config"), "s50000\nn0\n");
            feed(svlogd.start(scene.work, log.toString()), "svlogd", LINES);
            Files.delete(log.resolve("config"));
            scene.written("svlogd", LINES);
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void multilogRotatesWithoutLossOrDoubles() throws IOException {
        Tool multilog = Scene.tool("multilog", "daemontools");
        try (var scene = new Scene(folder, "objects")) {
            Path log = scene.in.resolve("multilog");
            feed(multilog.start(scene.work, "s50000", "n1000", log.toString()), "multilog", LINES);
            scene.written("multilog", LINES);
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void splitWritesManyFilesAtOnce() throws IOException {
        Tool split = Scene.tool("split", "coreutils");
        try (var scene = new Scene(folder, "objects")) {
            Process process = split.start(scene.in, "-l", "100", "-a", "4", "--additional-suffix=.log", "-", "part-");
            feed(process, "split", LINES);
            scene.written("split", LINES);
            scene.assertAllArrivedOnce();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cp", "mv", "rsync"})
    void filesPutIntoASpoolFolderArriveOnce(String how) throws IOException {
        Tool tool = Scene.tool(how, how.equals("rsync") ? "rsync" : "coreutils");
        try (var scene = new Scene(folder, "objects")) {
            for (int i = 0; i < 30; i++) {
                String name = "spooled" + i + ".log";
                tool.runQuietly(
                        made(scene, name, 300).toString(),
                        scene.in.resolve(name).toString());
                scene.written(name, 300);
            }
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void aSpoolFileMovedFromAnotherFilesystemArrivesOnce() throws IOException {
        Tool mv = Scene.tool("mv", "coreutils");
        Path other = Path.of("/dev/shm");
        org.assertj.core.api.Assumptions.assumeThat(Files.isWritable(other))
                .as("a second filesystem")
                .isTrue();
        try (var scene = new Scene(folder, "objects")) {
            for (int i = 0; i < 10; i++) {
                String name = "moved" + i + ".log";
                Path source = Files.move(
                        made(scene, name, 3000),
                        Files.createTempFile(other, "tailrace", ".log"),
                        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
                mv.runQuietly(source.toString(), scene.in.resolve(name).toString());
                scene.written(name, 3000);
            }
            scene.assertAllArrivedOnce();
        }
    }

    /** An editor that puts other lines in the place of those that were there: both arrive, once. */
    private void edit(Tool editor, String... arguments) throws IOException {
        try (var scene = new Scene(folder, "objects")) {
            Path file = scene.in.resolve("edited.log");
            long seen = 0;
            for (int i = 0; i < 5; i++) {
                Path lines = made(scene, "edit" + i, 200 + i);
                if (i == 0) {
                    Files.copy(lines, file);
                } else {
                    var words = new java.util.ArrayList<String>();
                    for (String argument : arguments) {
                        words.add(argument.replace("NEW", lines.toString()).replace("FILE", file.toString()));
                    }
                    Tool.Result result = editor.run(words.toArray(String[]::new));
                    assertThat(result.status()).as(result.output()).isZero();
                }
                seen += Files.size(lines);
                scene.written("edit" + i, 200 + i);
                scene.awaitDelivered(seen);
            }
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void sedInPlaceOnAFollowedFile() throws IOException {
        edit(Scene.tool("sed", "sed"), "-i", "-e", "1r NEW", "-e", "d", "FILE");
    }

    @Test
    void vimOnAFollowedFile() throws IOException {
        edit(Scene.tool("vim", "vim-tiny"), "-es", "-u", "NONE", "-c", "%d", "-c", "0r NEW", "-c", "wq", "FILE");
    }
}
