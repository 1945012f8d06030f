package tailrace.agent.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tailrace.testkit.LineChecker;
import tailrace.testkit.LineWriter;
import tailrace.testkit.Tool;

/**
 * The packaged agent on filesystems of its own, which are filled, stopped, and cut off as if the power went. Needs root
 * and loop devices; is skipped, with the reason, elsewhere.
 */
class FilesystemsIT {
    private static final int LINE_BYTES = 200;
    private static final int FAULTS = 10;

    @TempDir
    Path folder;

    private Path disk;
    private Path config;
    private boolean mounted;

    @BeforeEach
    void makeFolders() throws IOException {
        disk = Files.createDirectories(folder.resolve("disk"));
        config = folder.resolve("tailrace.yaml");
    }

    /** Mounts a filesystem of a kind; again, without making it, if it is there. */
    private void mount(String kind) throws IOException {
        Tool mount = tool("mount", "mount");
        Path image = folder.resolve("image");
        List<String> arguments = switch (kind) {
            case "tmpfs" -> List.of("-t", "tmpfs", "-o", "size=200m", "none");
            case "overlay" -> {
                for (String part : List.of("lower", "upper", "work")) {
                    Files.createDirectories(folder.resolve(part));
                }
                yield List.of(
                        "-t",
                        "overlay",
                        "-o",
                        "lowerdir=%1$s/lower,upperdir=%1$s/upper,workdir=%1$s/work".formatted(folder),
                        "overlay");
            }
            default -> {
                if (!Files.exists(image)) {
                    make(kind, image);
                }
                yield List.of("-o", "loop", image.toString());
            }
        };
        var all = new java.util.ArrayList<>(arguments);
        all.add(disk.toString());
        Tool.Result result = mount.run(all.toArray(String[]::new));
        assumeThat(result.status())
                .as("%s cannot be mounted here: %s", kind, result.output())
                .isZero();
        mounted = true;
    }

    private static void make(String kind, Path image) throws IOException {
        String debianPackage = switch (kind) {
            case "xfs" -> "xfsprogs";
            case "btrfs" -> "btrfs-progs";
            default -> "e2fsprogs";
        };
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), 400L << 20);
        }
        Tool.Result result = tool("mkfs." + kind, debianPackage).run("-q", image.toString());
        assertThat(result.status()).as(result.output()).isZero();
    }

    private static Tool tool(String name, String debianPackage) throws IOException {
        Optional<Tool> found = Tool.find(name, debianPackage);
        assumeThat(found).as("%s, of the package %s", name, debianPackage).isPresent();
        return found.orElseThrow();
    }

    private void unmount() throws IOException {
        if (mounted) {
            mounted = false;
            tool("umount", "mount").runQuietly(disk.toString());
        }
    }

    @AfterEach
    void leaveNothingMounted() throws IOException {
        unmount();
    }

    private void configure(Path in) throws IOException {
        Files.createDirectories(in);
        Files.writeString(config, """
            state: %1$s/state
            host: testhost
            sources: {app: {include: ['%2$s/*.log*']}}
            sinks: {archive: {type: file, path: %1$s/out, layout: objects}}
            routes: [{from: app, to: archive, batch: {age: 20ms, bytes: 64KiB}}]
            drain: {timeout: 60s}
            """.formatted(disk, in));
    }

    private AgentProcess start() throws IOException {
        return AgentProcess.start(Files.createTempFile(folder, "output", ".txt"), "run", "--config", config.toString());
    }

    /** Writes and rotates until told to stop; waits where the disk is full. */
    private static CompletableFuture<Long> write(Path in, String name, AtomicBoolean stopped) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                Path file = in.resolve(name + ".log");
                var writer = new LineWriter(name, LINE_BYTES, file);
                for (int i = 0; !stopped.get(); i++) {
                    writer.write(10);
                    if (i % 100 == 99) {
                        Files.move(file, in.resolve(name + ".log." + i));
                        writer.write(2);
                        writer.reopen(file);
                    }
                    LockSupport.parkNanos(1_000_000);
                }
                writer.close();
                return writer.written();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    private void assertAllArrivedOnce(Map<String, Long> written) throws IOException {
        var checker = new LineChecker().readFolder(disk.resolve("out"));
        LineChecker.Tally tally = checker.tally(written);
        assertThat(tally.isClean()).as(tally + ", " + checker.firstGarbled()).isTrue();
        AgentProcess.Result audit = AgentProcess.run("audit", "--config", config.toString(), "--deep");
        assertThat(audit.exit()).as(audit.output()).isZero();
    }

    private static void signal(AgentProcess agent, String signal) throws IOException {
        tool("kill", "procps").runQuietly("-" + signal, Long.toString(agent.pid()));
    }

    /** Takes all the space there is for a moment: the sources lie elsewhere, so their writers go on. */
    private void fill(long nanos) throws IOException {
        Path ballast = disk.resolve("ballast");
        try (FileChannel file = FileChannel.open(ballast, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (int chunk = 1 << 20; chunk >= 4096; chunk /= 16) {
                fillWith(file, ByteBuffer.allocate(chunk));
            }
        }
        LockSupport.parkNanos(nanos);
        Files.delete(ballast);
    }

    private static void fillWith(FileChannel file, ByteBuffer chunk) {
        try {
            while (true) {
                file.write(chunk.rewind());
            }
        } catch (IOException e) {
            // ENOSPC, which is what it is for
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs", "btrfs", "tmpfs", "overlay"})
    void killsStopsAndFullDisksLoseNothingAndDoubleNothing(String kind) throws IOException {
        mount(kind);
        boolean mayFill = !kind.equals("overlay"); // which would fill this machine's own disk
        Path in = mayFill ? folder.resolve("in") : disk.resolve("in");
        configure(in);
        var stopped = new AtomicBoolean();
        CompletableFuture<Long> one = write(in, "a", stopped);
        CompletableFuture<Long> two = write(in, "b", stopped);
        long seed = System.nanoTime();
        var random = new SplittableRandom(seed);
        var survived = new HashMap<String, Integer>();
        AgentProcess agent = start();
        for (int i = 0; i < FAULTS; i++) {
            agent.awaitOutput("STARTED");
            LockSupport.parkNanos(random.nextLong(50_000_000, 400_000_000));
            String fault = List.of("kill -9", "SIGSTOP", mayFill ? "full disk" : "kill -9")
                    .get(random.nextInt(3));
            switch (fault) {
                case "kill -9" -> {
                    agent.kill();
                    agent = start();
                }
                case "SIGSTOP" -> {
                    signal(agent, "STOP");
                    LockSupport.parkNanos(random.nextLong(300_000_000));
                    signal(agent, "CONT");
                }
                default -> fill(random.nextLong(600_000_000));
            }
            survived.merge(fault, 1, Integer::sum);
        }
        stopped.set(true);
        long a = one.join();
        long b = two.join();
        agent.awaitOutput("STARTED");
        assertThat(agent.terminate()).as("seed " + seed + ": " + agent.output()).isZero();
        assertAllArrivedOnce(Map.of("a", a, "b", b));
        System.out.println(kind + ": survived " + survived + ", " + (a + b) + " lines");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ext4", "xfs"})
    void aDiskThatIsCutOffAsByAPowerFailureKeepsWhatCountsAsDelivered(String kind) throws IOException {
        mount(kind);
        Tool xfsIo = tool("xfs_io", "xfsprogs");
        Path in = folder.resolve("in");
        configure(in);
        var stopped = new AtomicBoolean();
        CompletableFuture<Long> one = write(in, "a", stopped);
        int cuts = 6;
        for (int i = 0; i < cuts; i++) {
            AgentProcess agent = start();
            agent.awaitOutput("STARTED");
            LockSupport.parkNanos(300_000_000);
            xfsIo.runQuietly(
                    "-x", "-c", "shutdown", disk.toString()); // nothing more reaches the disk, not even its log
            agent.kill();
            unmount();
            mount(kind); // and recovers
        }
        stopped.set(true);
        long a = one.join();
        AgentProcess agent = start();
        agent.awaitOutput("STARTED");
        assertThat(agent.terminate()).as(agent.output()).isZero();
        assertAllArrivedOnce(Map.of("a", a));
        System.out.println(kind + ": survived " + cuts + " crashes of the filesystem, " + a + " lines");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pwrite64:error=EIO:when=20+17",
                "pwrite64:error=EINTR:when=15+11",
                "linkat:error=ENOSPC:when=2+5",
                "fdatasync:error=EIO:when=9+23",
                "pread64:error=EIO:when=300+97",
            })
    void callsThatFailInTheRealProcessLoseNothing(String injection) throws IOException {
        Tool strace = tool("strace", "strace");
        Path in = folder.resolve("in");
        configure(in);
        var stopped = new AtomicBoolean();
        CompletableFuture<Long> one = write(in, "a", stopped);
        AgentProcess agent = start();
        int started = 1;
        int injected = 0;
        for (int i = 0; i < 4; i++) {
            agent.awaitOutput("STARTED");
            Path log = folder.resolve("strace" + i + ".txt");
            Process tracer = strace.start(
                    folder,
                    "-f",
                    "-qq",
                    "-o",
                    log.toString(),
                    "-p",
                    Long.toString(agent.pid()),
                    "-e",
                    "trace=" + injection.substring(0, injection.indexOf(':')),
                    "-e",
                    "inject=" + injection);
            LockSupport.parkNanos(900_000_000);
            tracer.destroy();
            Tool.await(tracer);
            try (var lines = Files.lines(log)) {
                injected +=
                        (int) lines.filter(line -> line.contains("INJECTED")).count();
            }
            if (!agent.isAlive()) { // a ledger that cannot be written stops the agent: its supervisor starts it again
                agent = start();
                started++;
            }
        }
        stopped.set(true);
        long a = one.join();
        agent.awaitOutput("STARTED");
        assertThat(agent.terminate()).as(agent.output()).isZero();
        assertThat(injected).as("failures").isPositive();
        assertAllArrivedOnce(Map.of("a", a));
        System.out.println(injection + ": survived " + injected + " failures, started " + started + " times");
    }

    @Test
    void aFilesystemThatIsRemountedReadOnlyOrUnmountedIsWaitedFor() throws IOException {
        mount("ext4");
        Path in = disk.resolve("in");
        configure(in);
        Files.writeString(
                config,
                Files.readString(config)
                        .replace(disk + "/state", folder + "/state")
                        .replace(disk + "/out", folder + "/out"));
        Tool mount = tool("mount", "mount");
        AgentProcess agent = start();
        agent.awaitOutput("STARTED");
        try (var writer = new LineWriter("a", LINE_BYTES, in.resolve("a.log"))) {
            writer.write(100);
        }
        mount.runQuietly("-o", "remount,ro", disk.toString());
        LockSupport.parkNanos(500_000_000);
        mount.runQuietly("-o", "remount,rw", disk.toString());
        try (var writer = new LineWriter("b", LINE_BYTES, in.resolve("b.log"))) {
            writer.write(100);
        }
        agent.awaitThat("the first files", () -> delivered() >= 200L * LINE_BYTES);
        tool("umount", "mount").run("-l", disk.toString()); // files that are open stay so
        mounted = false;
        LockSupport.parkNanos(1_500_000_000);
        assertThat(agent.isAlive()).as(agent.output()).isTrue();
        mount("ext4");
        try (var writer = new LineWriter("c", LINE_BYTES, in.resolve("c.log"))) {
            writer.write(100);
        }
        agent.awaitThat("what came after the mount", () -> delivered() >= 300L * LINE_BYTES);
        assertThat(agent.terminate()).as(agent.output()).isZero();
        var tally = new LineChecker().readFolder(folder.resolve("out")).tally(Map.of("a", 100L, "b", 100L, "c", 100L));
        assertThat(tally.isClean()).as(tally.toString()).isTrue();
    }

    private long delivered() {
        Path out = folder.resolve("out/app");
        if (!Files.exists(out)) {
            return 0;
        }
        try (var files = Files.walk(out)) {
            long bytes = 0;
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += Files.size(file);
            }
            return bytes;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
