package tailrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tailrace.core.Event;
import tailrace.core.ledger.LedgerException;
import tailrace.core.manifest.Audit;
import tailrace.core.manifest.FolderArchive;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** What can be wrong outside: it is named, the rest goes on, and nothing is lost. */
class BadInputTest {
    private static final int LINE_BYTES = 100;

    @TempDir
    Path folder;

    private Path in;
    private Path out;

    @BeforeEach
    void makeFolders() throws IOException {
        in = Files.createDirectory(folder.resolve("in"));
        out = folder.resolve("out");
    }

    private RunningEngine.Plan plan() {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(in + "/**/*.log")
                .toFolder(out, "objects");
    }

    private long write(String name, int lines) throws IOException {
        Files.createDirectories(in.resolve(name).getParent());
        try (var writer = new LineWriter(name, LINE_BYTES, in.resolve(name))) {
            writer.write(lines);
        }
        return (long) lines * LINE_BYTES;
    }

    private List<String> problemsOfTheAudit() throws IOException {
        try (var archive = new FolderArchive(new LinuxKernel(), out)) {
            return new Audit(archive, true).run().problems();
        }
    }

    private void assertClean(Map<String, Long> written) throws IOException {
        var checker = new LineChecker().readFolder(out);
        assertThat(checker.tally(written).isClean())
                .as(checker.tally(written) + " " + checker.firstGarbled())
                .isTrue();
    }

    @Test
    void aMissingFolderIsWaitedFor() throws IOException {
        Files.delete(in);
        try (RunningEngine engine = plan().start()) {
            engine.await("the warning", status -> engine.count(Event.ROOT_MISSING) == 1);
            engine.awaitDelivered(write("late.log", 10));
            assertThat(engine.count(Event.ROOT_APPEARED)).isEqualTo(1);
        }
        assertClean(Map.of("late.log", 10L));
    }

    @Test
    void anUnreadableFileIsNamedAndTheOthersGoOn() throws IOException {
        var kernel = new FaultyKernel();
        kernel.fail(Errno.EACCES, call -> call.name().equals("open") && call.on("secret.log"));
        long secret = write("secret.log", 10);
        long open = write("open.log", 10);
        try (RunningEngine engine = plan().kernel(kernel).start()) {
            engine.awaitDelivered(open);
            assertThat(engine.count(Event.FILE_UNREADABLE)).isPositive();
            assertThat(engine.status().unreadable()).isEqualTo(1);
            kernel.heal();
            engine.awaitDelivered(open + secret);
            assertThat(engine.status().unreadable()).isZero();
        }
        assertClean(Map.of("secret.log", 10L, "open.log", 10L));
    }

    @Test
    void whatIsNoRegularFileIsSkippedAndBlocksNothing() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", in.resolve("fifo.log").toString())
                        .start()
                        .waitFor())
                .isZero();
        Files.createDirectory(in.resolve("folder.log"));
        Files.createSymbolicLink(in.resolve("device.log"), Path.of("/dev/zero"));
        try (var socket = java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
            socket.bind(java.net.UnixDomainSocketAddress.of(in.resolve("socket.log")));
            try (RunningEngine engine = plan().start()) {
                engine.awaitDelivered(write("real.log", 10) + write("folder.log/inside.log", 10));
                assertThat(engine.count(Event.FILE_SKIPPED)).isEqualTo(3);
            }
        }
        assertClean(Map.of("real.log", 10L, "folder.log/inside.log", 10L));
    }

    @Test
    void symbolicLinksAreFollowedOnlyWhenAsked() throws IOException {
        Path outside = Files.createDirectory(folder.resolve("outside"));
        try (var writer = new LineWriter("w", LINE_BYTES, outside.resolve("app.log"))) {
            writer.write(10);
        }
        Files.createSymbolicLink(in.resolve("link.log"), outside.resolve("app.log"));
        Path second = Files.createDirectory(folder.resolve("second"));
        try (var writer = new LineWriter("v", LINE_BYTES, second.resolve("b.log"))) {
            writer.write(10);
        }
        Files.createSymbolicLink(in.resolve("folder"), second);
        try (RunningEngine engine = plan().start()) {
            engine.awaitDelivered(write("real.log", 10));
            assertThat(engine.drain(Duration.ofSeconds(10))).isTrue();
            assertThat(engine.finalStatus().books().seen()).isEqualTo(10 * LINE_BYTES);
        }
        try (RunningEngine engine = plan().followSymlinks().start()) {
            engine.awaitDelivered(30L * LINE_BYTES);
        }
        assertClean(Map.of("w", 10L, "v", 10L, "real.log", 10L));
    }

    @ParameterizedTest
    @EnumSource(
            value = Errno.class,
            names = {"ENOSPC", "EROFS", "EDQUOT", "EIO"})
    void aSinkThatCannotBeWrittenIsWaitedFor(Errno errno) throws IOException {
        var kernel = new FaultyKernel();
        long bytes = write("app.log", 1000);
        try (RunningEngine engine = plan().kernel(kernel).start()) {
            engine.awaitDelivered(bytes);
            kernel.fail(errno, call -> call.name().equals("link"));
            write("more.log", 1000);
            engine.await("failures", status -> engine.count(Event.DELIVERY_FAILED) >= 2);
            assertThat(engine.status().books().pending()).isPositive();
            kernel.heal();
            engine.awaitDelivered(2 * bytes);
        }
        assertClean(Map.of("app.log", 1000L, "more.log", 1000L));
    }

    @Test
    void aFullStateDirectoryHoldsDeliveriesBackAndLosesNothing() throws IOException {
        var kernel = new FaultyKernel();
        try (RunningEngine engine = plan().kernel(kernel).start()) {
            long first = write("a.log", 10);
            engine.awaitDelivered(first);
            Kernel real = new LinuxKernel();
            kernel.fail(
                    Errno.ENOSPC,
                    call -> call.name().equals("pwrite")
                            && call.arguments().getFirst() instanceof Fd fd
                            && leadsTo(real, fd, "ledger-"));
            write("b.log", 10);
            engine.await("the report", status -> engine.count(Event.LEDGER_FULL) >= 1);
            assertThat(engine.status().books().delivered()).isEqualTo(first);
            kernel.heal();
            engine.awaitDelivered(2 * first);
        }
        assertClean(Map.of("a.log", 10L, "b.log", 10L));
    }

    private static boolean leadsTo(Kernel kernel, Fd fd, String name) {
        try {
            return kernel.names()
                    .readlink(Fd.CURRENT_DIRECTORY, fd.procPath())
                    .filter(path -> path.toString().contains(name))
                    .isPresent();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aStateDirectoryInUseNamesTheOther() throws IOException {
        try (RunningEngine engine = plan().start()) {
            engine.status();
            assertThatThrownBy(() -> plan().start())
                    .isInstanceOf(LedgerException.class)
                    .hasMessageContaining(
                            "in use by process " + ProcessHandle.current().pid());
        }
    }

    @Test
    void aStateDirectoryThatCannotBeMadeIsNamed() throws IOException {
        Files.writeString(folder.resolve("state"), "a file");
        assertThatThrownBy(() -> plan().start())
                .isInstanceOf(LedgerException.class)
                .hasMessageContaining("cannot use the state directory " + folder.resolve("state"));
    }

    /** Leaves a ledger with something in it, and tells which file it is. */
    private Path ledger() throws IOException {
        try (RunningEngine engine = plan().start()) {
            engine.awaitDelivered(write("app.log", 100));
        }
        try (Stream<Path> files = Files.list(folder.resolve("state"))) {
            return files.filter(file -> file.getFileName().toString().startsWith("ledger-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private void assertRefused(Path ledger, byte[] content, String why) throws IOException {
        Files.write(ledger, content);
        assertThatThrownBy(() -> plan().start())
                .isInstanceOf(LedgerException.class)
                .hasMessageContaining(why);
        assertThat(ledger).as("it is left as it was").hasBinaryContent(content);
    }

    @Test
    void aLedgerThatIsCorruptOrNewerOrGoneIsRefusedAndLeftAlone() throws IOException {
        Path ledger = ledger();
        byte[] good = Files.readAllBytes(ledger);

        byte[] flipped = good.clone();
        flipped[good.length / 2] ^= 1;
        assertRefused(ledger, flipped, "corrupt");
        byte[] newer = good.clone();
        newer[9] = 99;
        assertRefused(ledger, newer, "format version 99");
        byte[] other = good.clone();
        other[0] = 'X';
        assertRefused(ledger, other, "no tailrace ledger");
        assertRefused(ledger, new byte[0], "cut off within its header");
        assertRefused(ledger, java.util.Arrays.copyOf(good, 30), "cut off within its snapshot");
        Files.delete(ledger);
        assertThatThrownBy(() -> plan().start())
                .isInstanceOf(LedgerException.class)
                .hasMessageContaining("its ledger is gone");
    }

    @Test
    void aTornEndOfTheLedgerIsCutOff() throws IOException {
        Path ledger = ledger();
        byte[] good = Files.readAllBytes(ledger);
        byte[] torn = java.util.Arrays.copyOf(good, good.length + 11);
        torn[good.length + 3] = 40;
        Files.write(ledger, torn);
        try (RunningEngine engine = plan().start()) {
            assertThat(engine.count(Event.LEDGER_TORN)).isEqualTo(1);
            engine.awaitDelivered(100L * LINE_BYTES + write("more.log", 10));
        }
        assertClean(Map.of("app.log", 100L, "more.log", 10L));
    }

    @Test
    void aLineOfAGigabyteOfNulsTravelsInParts() throws IOException {
        long length = 1L << 30;
        try (var file = new RandomAccessFile(in.resolve("huge.log").toFile(), "rw")) {
            file.setLength(length);
        }
        try (RunningEngine engine =
                plan().batch(64 << 20, Duration.ofMillis(50)).start()) {
            engine.awaitDelivered(length);
            assertThat(engine.status().batchesDelivered()).isEqualTo(16);
        }
        try (Stream<Path> objects = Files.walk(out)) {
            assertThat(objects.filter(file -> file.toString().endsWith(".log"))
                            .mapToLong(file -> file.toFile().length())
                            .sum())
                    .isEqualTo(length);
        }
    }

    @Test
    void namesOfAnyBytesAreMirrored() throws IOException {
        Kernel kernel = new LinuxKernel();
        Fd directory = kernel.files()
                .open(Fd.CURRENT_DIRECTORY, LinuxPath.of(in.toString()), OpenHow.directory())
                .orElseThrow();
        List<LinuxPath> names = List.of(
                LinuxPath.of("with space.log"),
                LinuxPath.of("with\nnewline.log"),
                LinuxPath.of("grüße.log"),
                LinuxPath.of("-rf.log"),
                LinuxPath.ofBytes(new byte[] {(byte) 0xFF, (byte) 0xFE, '.', 'l', 'o', 'g'}));
        for (int i = 0; i < names.size(); i++) {
            Fd fd = kernel.files()
                    .open(directory, names.get(i), OpenHow.createNew(0600))
                    .orElseThrow();
            try (var arena = java.lang.foreign.Arena.ofConfined()) {
                byte[] line = new NumberedLine("w", i).bytes(LINE_BYTES);
                kernel.files().write(fd, arena.allocateFrom(java.lang.foreign.ValueLayout.JAVA_BYTE, line));
            }
            kernel.files().close(fd);
        }
        try (RunningEngine engine = plan().toFolder(out, "append").start()) {
            engine.awaitDelivered((long) names.size() * LINE_BYTES);
        }
        Fd target = kernel.files()
                .open(Fd.CURRENT_DIRECTORY, LinuxPath.of(out.toString()), OpenHow.directory())
                .orElseThrow();
        for (LinuxPath name : names) {
            assertThat(kernel.files().status(target, name))
                    .as(name.toString())
                    .hasValueSatisfying(status -> assertThat(status.sizeBytes()).isEqualTo(LINE_BYTES));
        }
        assertThat(problemsOfTheAudit()).isEmpty();
    }

    @Test
    void noDescriptorsLeftIsSurvived() throws IOException {
        var kernel = new FaultyKernel();
        try (RunningEngine engine = plan().kernel(kernel).start()) {
            engine.awaitDelivered(write("a.log", 10));
            kernel.fail(
                    Errno.EMFILE,
                    call -> call.name().equals("open") || call.name().equals("duplicate"));
            write("b.log", 10);
            engine.await("a report", status -> engine.count(Event.FILE_UNREADABLE) >= 1);
            kernel.heal();
            engine.awaitDelivered(20L * LINE_BYTES);
        }
        assertClean(Map.of("a.log", 10L, "b.log", 10L));
    }

    @Test
    void aRefusedBatchHoldsUpNoOtherAndIsDeliveredOnceItCanBe() throws IOException {
        try (RunningEngine engine = plan().key("fixed-{batch}").start()) {
            engine.awaitDelivered(write("a.log", 10));
            Path taken = out.resolve("fixed-" + engine.status().ledger() + "-00001-000000002");
            Files.writeString(taken, "somebody else's", UTF_8);
            write("b.log", 10);
            engine.await("the refusal", status -> engine.count(Event.DELIVERY_REFUSED) >= 1);
            for (int i = 0; i < 10; i++) {
                write("c" + i + ".log", 10);
                engine.awaitDelivered((i + 2) * 10L * LINE_BYTES);
            }
            assertThat(taken).hasContent("somebody else's");
            Files.delete(taken);
            assertThat(engine.drain(Duration.ofSeconds(10))).isTrue();
            assertThat(taken).hasSize(10L * LINE_BYTES);
        }
    }

    @Test
    void anObjectThatSomebodyElseWroteIsNotTakenForOurs() throws IOException {
        write("app.log", 10);
        try (RunningEngine engine = plan().key("fixed-{batch}").start()) {
            engine.awaitDelivered(10L * LINE_BYTES);
        }
        Path object;
        try (Stream<Path> files = Files.list(out)) {
            object = files.filter(file -> file.getFileName().toString().startsWith("fixed-"))
                    .findFirst()
                    .orElseThrow();
        }
        Files.writeString(object, "something else", UTF_8);
        assertThat(problemsOfTheAudit()).singleElement().asString().contains("has 14 bytes and should have 1000");
    }

    @Test
    void aFileRewrittenWhileItIsSentIsNotCommittedHalf() throws IOException {
        var kernel = new FaultyKernel();
        kernel.fail(Errno.EIO, call -> call.name().equals("link"));
        write("app.log", 1000);
        try (RunningEngine engine = plan().kernel(kernel).start()) {
            engine.await("a failure", status -> engine.count(Event.DELIVERY_FAILED) >= 1);
            Files.write(in.resolve("app.log"), new byte[0]);
            for (int i = 0; i < 1500; i++) {
                Files.write(
                        in.resolve("app.log"),
                        new NumberedLine("second", i).bytes(LINE_BYTES),
                        java.nio.file.StandardOpenOption.APPEND);
            }
            kernel.heal();
            engine.awaitDelivered(1500L * LINE_BYTES);
            engine.await("the books", status -> status.books().lost() == 1000L * LINE_BYTES);
            assertThat(engine.status().books().balance()).isTrue();
            assertThat(engine.count(Event.BYTES_LOST)).isPositive();
        }
        assertClean(Map.of("second", 1500L));
    }
}
