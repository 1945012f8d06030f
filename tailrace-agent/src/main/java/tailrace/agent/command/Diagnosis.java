package tailrace.agent.command;

import static tailrace.agent.config.Units.sizeText;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import tailrace.agent.instance.NoticeSettings;
import tailrace.agent.instance.NoticeWatch;
import tailrace.core.EventLog;
import tailrace.core.batch.Codec;
import tailrace.core.deliver.Compression;
import tailrace.core.deliver.Finding;
import tailrace.core.deliver.Finding.Grade;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.engine.EngineSettings.SinkSettings;
import tailrace.core.ledger.StateDirectory;
import tailrace.core.track.FileIdentity;
import tailrace.core.track.Identification;
import tailrace.core.watch.Glob;
import tailrace.core.watch.Source;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FilesystemStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** What {@code doctor} looks at, by the calls that the agent itself would make. Leaves nothing behind. */
final class Diagnosis {
    private static final long FEW_DESCRIPTORS = 4096;
    private static final long FEW_WATCHES = 8192;
    private static final double SHORT_OF_SPACE = 0.05;
    private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(2);
    private static final Instant EARLIEST = Instant.parse("2026-01-01T00:00:00Z");

    /** A finding of a sink, or our own, and what it is about. */
    record Line(Grade grade, String subject, String message) {}

    private final Kernel kernel = new LinuxKernel();
    private final FileCalls files = kernel.files();
    private final List<Line> findings = new ArrayList<>();

    List<Line> findings() {
        return findings;
    }

    private void add(Grade grade, String subject, String message) {
        findings.add(new Line(grade, subject, message));
    }

    void machine() {
        add(
                Grade.OK,
                "kernel",
                Host.firstLine("/proc/sys/kernel/osrelease", "unknown") + ", " + System.getProperty("os.arch"));
        safeOpen();
        long descriptors = Host.descriptorLimit();
        add(
                descriptors < FEW_DESCRIPTORS ? Grade.WARN : Grade.OK,
                "open files",
                descriptors + " per process"
                        + (descriptors < FEW_DESCRIPTORS
                                ? "; raise it (LimitNOFILE=, ulimit -n) to keep more files open"
                                : ""));
        limit("inotify watches", "max_user_watches", FEW_WATCHES, "one is needed per folder");
        limit("inotify instances", "max_user_instances", 16, "one is needed per agent");
        limit("inotify queue", "max_queued_events", 16_384, "beyond it everything is scanned again");
        Instant now = Instant.now();
        add(
                now.isBefore(EARLIEST) ? Grade.FAIL : Grade.OK,
                "clock",
                now + (now.isBefore(EARLIEST) ? ": it is wrong; keys would hold wrong dates. Set it, run NTP" : ""));
    }

    private void safeOpen() {
        try {
            Fd root = files.open(Fd.CURRENT_DIRECTORY, LinuxPath.of("/"), OpenHow.directory())
                    .orElseThrow();
            files.open(root, LinuxPath.of("proc"), OpenHow.place().beneathWithoutLinks())
                    .ifPresent(this::closeQuietly);
            closeQuietly(root);
            add(Grade.OK, "openat2", "symbolic links are refused by the kernel");
        } catch (LinuxException e) {
            add(Grade.WARN, "openat2", e.getMessage() + "; links in the middle of a path are not refused (Linux 5.6+)");
        }
    }

    private void limit(String subject, String name, long few, String why) {
        String value = Host.firstLine("/proc/sys/fs/inotify/" + name, "0");
        boolean low = Long.parseLong(value) < few;
        add(low ? Grade.WARN : Grade.OK, subject, value + " (" + why + ")" + (low ? "; raise fs.inotify." + name : ""));
    }

    void state(Path path) {
        folder("state directory", path);
        try {
            StateDirectory.holder(kernel, LinuxPath.of(path.toString()))
                    .ifPresent(pid -> add(Grade.OK, "agent", "runs as process " + pid));
        } catch (LinuxException e) {
            add(Grade.WARN, "agent", String.valueOf(e.getMessage()));
        }
    }

    void fileSink(Path path) {
        folder("file sink", path);
    }

    /** What a sink says of itself and of where it goes. */
    void sink(SinkSettings settings, String host) {
        String subject = "sink " + settings.name();
        var context =
                new SinkProvider.Context(kernel, new EventLog((event, line) -> {}), host, "00000000", Integrity.CRC32C);
        try (Sink sink = settings.provider().open(settings.values(), context)) {
            for (Finding finding : sink.check()) {
                add(finding.grade(), subject, finding.text());
            }
        }
    }

    /** What compresses batches. */
    void codec(Codec codec) {
        Finding finding = Compression.check(codec);
        add(finding.grade(), "compress", finding.text());
    }

    /** Who is to tell that the instance will go. */
    void notices(NoticeSettings settings) {
        for (Finding finding : NoticeWatch.check(settings)) {
            add(finding.grade(), "notices", finding.text());
        }
    }

    void source(Source source) {
        var roots = new LinkedHashSet<LinuxPath>();
        source.includes().stream().map(Glob::root).forEach(roots::add);
        for (LinuxPath root : roots) {
            String subject = "source " + source.name();
            try {
                Optional<Fd> fd = files.open(Fd.CURRENT_DIRECTORY, root, OpenHow.directory());
                if (fd.isEmpty()) {
                    add(Grade.WARN, subject, root + " does not exist yet; the agent waits for it");
                    continue;
                }
                kernel.names().list(fd.get());
                identity(subject, root, fd.get());
                closeQuietly(fd.get());
            } catch (LinuxException e) {
                add(Grade.FAIL, subject, e.getMessage() + ". Give the agent read permission on " + root);
            }
        }
    }

    private void identity(String subject, LinuxPath root, Fd fd) throws LinuxException {
        FilesystemStatus filesystem = files.filesystem(fd);
        FileIdentity.Step step =
                new Identification(files).identify(fd, files.status(fd)).step();
        String type = root + " is on " + filesystem.typeName();
        if (filesystem.isRemote()) {
            add(Grade.WARN, subject, type + ": changes by other machines are found by looking every second");
        }
        switch (step) {
            case FILE_HANDLE -> add(Grade.OK, subject, type + ", files are known by their handles");
            case INODE_AND_BIRTH ->
                add(
                        Grade.WARN,
                        subject,
                        type + ", which offers no file handles: files are known by inode and birth time");
        }
    }

    /** A folder that is written to: tries it, with a file that never gets a name. */
    void folder(String subject, Path path) {
        Path existing = path;
        while (!java.nio.file.Files.isDirectory(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        String missing = existing.equals(path) ? "" : " (" + path + " is made when it is needed)";
        try {
            Fd fd = files.open(Fd.CURRENT_DIRECTORY, LinuxPath.of(existing.toString()), OpenHow.directory())
                    .orElseThrow();
            FilesystemStatus filesystem = files.filesystem(fd);
            double free = (double) filesystem.availableBytes() / Math.max(1, filesystem.totalBytes());
            add(
                    free < SHORT_OF_SPACE ? Grade.WARN : Grade.OK,
                    subject,
                    existing + " is on " + filesystem.typeName() + " with " + sizeText(filesystem.availableBytes())
                            + " free" + missing);
            tryToWrite(subject, existing, fd);
            closeQuietly(fd);
        } catch (LinuxException e) {
            add(Grade.FAIL, subject, e.getMessage() + ". Make it writable for this user");
        }
    }

    private void tryToWrite(String subject, Path folder, Fd directory) throws LinuxException {
        if (!java.nio.file.Files.isWritable(folder)) {
            add(Grade.FAIL, subject, folder + " cannot be written by this user");
            return;
        }
        Optional<Fd> temporary;
        try {
            temporary = files.open(directory, LinuxPath.of("."), OpenHow.temporary(0600));
        } catch (LinuxException e) {
            switch (e.errno()) {
                case EOPNOTSUPP, EISDIR, EINVAL ->
                    add(Grade.OK, subject, "no O_TMPFILE there; objects get a temporary name instead");
                default -> throw e;
            }
            return;
        }
        Fd file = temporary.orElseThrow();
        try {
            Instant there = files.status(file).modified();
            if (Duration.between(there, Instant.now()).abs().compareTo(CLOCK_TOLERANCE) > 0) {
                add(Grade.WARN, "clock", "the filesystem of " + folder + " says it is " + there + "; run NTP on both");
            }
        } finally {
            closeQuietly(file);
        }
    }

    private void closeQuietly(Fd fd) {
        try {
            files.close(fd);
        } catch (LinuxException e) {
            add(Grade.WARN, "close", String.valueOf(e.getMessage()));
        }
    }
}
