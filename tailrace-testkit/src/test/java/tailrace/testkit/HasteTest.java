package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.manifest.Audit;
import tailrace.core.manifest.FolderArchive;
import tailrace.linux.LinuxKernel;

/** When the instance will go: in what order, in what portions, and what is known of the rest. */
class HasteTest {
    private static final Duration NEVER = Duration.ofHours(1);
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private Path in;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
    }

    /** Nothing is sealed before it must. */
    private RunningEngine.Plan plan() {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/**/*.log")
                .toFolder(folder.resolve("out"), "objects")
                .key("data/{batch}-{file}")
                .batch(64 * MIB, NEVER);
    }

    private static Path write(Path file, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) 'x');
        content[bytes - 1] = '\n';
        Files.createDirectories(file.getParent());
        return Files.write(file, content);
    }

    /** In the order of sealing. */
    private List<Path> objects() throws IOException {
        try (var files = Files.list(folder.resolve("out/data"))) {
            return files.sorted(Comparator.naturalOrder()).toList();
        }
    }

    @Test
    void whatWouldBeLostFirstIsSealedFirst() throws IOException {
        write(in.resolve("a-lasting.log"), 1000);
        write(in.resolve("lent/b-lent.log"), 1000);
        Path going = write(in.resolve("c-going.log"), 1000);
        try (RunningEngine engine = plan().ephemeral(in.resolve("lent")).start()) {
            engine.await("three files", status -> status.books().seen() == 3000);
            Files.delete(going);
            assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        }
        assertThat(objects().stream().map(file -> file.getFileName().toString().replaceFirst(".*-(\\w-)", "$1")))
                .containsExactly("c-going.log", "b-lent.log", "a-lasting.log");
    }

    @Test
    void portionsAreSmallButRecordsStayWhole() throws IOException {
        Path lines = in.resolve("lines.log");
        for (int i = 0; i < 12; i++) {
            Files.write(lines, new byte[MIB - 1], StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            Files.writeString(lines, "\n", StandardOpenOption.APPEND);
        }
        write(in.resolve("one.log"), 10 * MIB);
        try (RunningEngine engine = plan().start()) {
            engine.await("both files", status -> status.books().seen() == 22L * MIB);
            assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        }
        for (Path object : objects()) {
            assertThat(Files.size(object))
                    .as(object.toString())
                    .isEqualTo(object.toString().endsWith("one.log") ? 10 * MIB : 4 * MIB);
        }
        assertThat(objects()).hasSize(4);
    }

    @Test
    void whatIsWrittenAfterANoticeIsDeliveredAtOnce() throws IOException {
        Path log = write(in.resolve("a.log"), 1000);
        try (RunningEngine engine = plan().start()) {
            engine.await("the file", status -> status.books().seen() == 1000);
            engine.hasten(Duration.ofMinutes(2));
            engine.awaitDelivered(1000);
            Files.writeString(log, "more\n", StandardOpenOption.APPEND);
            engine.awaitDelivered(1005);
            assertThat(engine.status().draining()).isFalse();
            assertThat(engine.count(Event.HASTENING)).isEqualTo(1);
        }
    }

    @Test
    void aSecondDeadlineCountsIfItIsNearer() throws IOException {
        write(in.resolve("a.log"), 1000);
        block();
        try (RunningEngine engine = plan().start()) {
            engine.await("the file", status -> status.books().seen() == 1000);
            engine.drainLater(NEVER);
            assertThat(engine.drain(Duration.ofMillis(200))).isFalse();
        }
    }

    /** The sink can write manifests, and nothing else. */
    private Path block() throws IOException {
        Path out = Files.createDirectories(folder.resolve("out"));
        return Files.writeString(out.resolve("data"), "in the way");
    }

    @Test
    void whatIsPendingIsListedBesideTheManifestsAndAuditsMissIt() throws IOException {
        Path log = write(in.resolve("a.log"), 1000);
        try (RunningEngine engine =
                plan().batch(64 * MIB, Duration.ofMillis(10)).start()) {
            engine.awaitDelivered(1000);
            assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        }
        assertThat(folder.resolve("out/_tailrace/final")).doesNotExist();

        Files.move(folder.resolve("out/data"), folder.resolve("aside"));
        Path inTheWay = block();
        Files.writeString(log, "1234\n5678", StandardOpenOption.APPEND);
        try (RunningEngine engine = plan().start()) {
            engine.await("what was added", status -> status.books().seen() == 1009);
            assertThat(engine.drain(Duration.ofMillis(500))).isFalse();
            assertThat(engine.count(Event.FINAL_MANIFEST)).isEqualTo(1);
            assertThat(engine.finalStatus().books().pending()).isEqualTo(9);
        }
        Files.delete(inTheWay);
        Files.move(folder.resolve("aside"), folder.resolve("out/data"));
        assertThat(problems())
                .singleElement()
                .satisfies(problem -> assertThat(problem)
                        .contains(log.toString())
                        .contains("bytes [1000, 1009) was pending when testhost was told to stop"));

        try (RunningEngine engine = plan().start()) {
            assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        }
        assertThat(problems()).isEmpty();
    }

    private List<String> problems() throws IOException {
        try (var archive = new FolderArchive(new LinuxKernel(), folder.resolve("out"))) {
            return new Audit(archive, true).run().problems();
        }
    }
}
