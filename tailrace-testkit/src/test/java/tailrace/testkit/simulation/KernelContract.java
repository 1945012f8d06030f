package tailrace.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import tailrace.linux.DirectoryEntry;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileHandle;
import tailrace.linux.FileStatus;
import tailrace.linux.InotifyEvent;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** What a {@link Kernel} does, whichever it is: the simulated one is worth what it has in common with the real one. */
abstract class KernelContract {
    private static final int ALL_EVENTS = InotifyEvent.CREATE
            | InotifyEvent.MODIFY
            | InotifyEvent.CLOSE_WRITE
            | InotifyEvent.MOVED_FROM
            | InotifyEvent.MOVED_TO
            | InotifyEvent.DELETE
            | InotifyEvent.DELETE_SELF
            | InotifyEvent.MOVE_SELF;

    /** The kernel under test. */
    abstract Kernel kernel();

    /** An empty folder on it. */
    abstract LinuxPath folder();

    private LinuxPath path(String name) {
        return folder().resolve(name);
    }

    private Fd open(String name, OpenHow how) throws LinuxException {
        return kernel().files().open(Fd.CURRENT_DIRECTORY, path(name), how).orElseThrow();
    }

    private void write(Fd fd, String text, long position) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, text.getBytes(StandardCharsets.UTF_8));
            assertThat(kernel().files().pwrite(fd, bytes, position)).isEqualTo(text.length());
        }
    }

    private String read(Fd fd, long position, int length) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(length);
            int n = kernel().files().pread(fd, bytes, position);
            return new String(bytes.asSlice(0, n).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
        }
    }

    private Fd file(String name, String content) throws LinuxException {
        Fd fd = open(name, OpenHow.create(0644));
        write(fd, content, 0);
        return fd;
    }

    private void close(Fd... fds) throws LinuxException {
        for (Fd fd : fds) {
            kernel().files().close(fd);
        }
    }

    private static void fails(Errno errno, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        LinuxException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void readsStopAtTheEndAndWritesLeaveHoles() throws IOException {
        Fd fd = file("a", "hello");
        assertThat(read(fd, 0, 100)).isEqualTo("hello");
        assertThat(read(fd, 5, 100)).isEmpty();
        assertThat(read(fd, 99, 100)).isEmpty();
        write(fd, "x", 8);
        assertThat(read(fd, 0, 100)).isEqualTo("hello\0\0\0x");
        kernel().files().ftruncate(fd, 2);
        assertThat(read(fd, 0, 100)).isEqualTo("he");
        kernel().files().ftruncate(fd, 4);
        assertThat(read(fd, 0, 100)).isEqualTo("he\0\0");
        close(fd);
    }

    @Test
    void whatIsNotThereIsAValueAndTheRestIsAnError() throws IOException {
        assertThat(kernel().files().open(Fd.CURRENT_DIRECTORY, path("none"), OpenHow.read()))
                .isEmpty();
        assertThat(kernel().files().open(Fd.CURRENT_DIRECTORY, path("no/where"), OpenHow.read()))
                .isEmpty();
        assertThat(kernel().files().status(Fd.CURRENT_DIRECTORY, path("none"))).isEmpty();
        assertThat(kernel().names().unlink(Fd.CURRENT_DIRECTORY, path("none"))).isFalse();
        close(file("a", "1"));
        assertThat(kernel().files().status(Fd.CURRENT_DIRECTORY, path("a/b"))).isEmpty();
        fails(Errno.ENOTDIR, () -> open("a/b", OpenHow.read()));
        fails(Errno.ENOTDIR, () -> open("a", OpenHow.directory()));
        fails(Errno.EEXIST, () -> open("a", OpenHow.createNew(0600)));
        fails(Errno.EISDIR, () -> open("", OpenHow.create(0600)));
        fails(Errno.EBADF, () -> kernel().files().status(new Fd(987)));
        Fd reading = open("a", OpenHow.read());
        fails(Errno.EBADF, () -> write(reading, "x", 0));
        close(reading);
    }

    @Test
    void descriptorsOutliveNamesAndInodesComeBackWithAnotherHandle() throws IOException {
        Fd first = file("a", "first");
        FileHandle handle = kernel().files().handle(first, false).orElseThrow();
        assertThat(kernel().names().unlink(Fd.CURRENT_DIRECTORY, path("a"))).isTrue();
        assertThat(read(first, 0, 10)).isEqualTo("first");
        assertThat(kernel().files().status(first).links()).isZero();
        long inode = kernel().files().status(first).inode();
        close(first);
        Fd second = file("b", "second");
        assertThat(kernel().files().handle(second, false).orElseThrow()).isNotEqualTo(handle);
        Fd root = kernel().files()
                .open(Fd.CURRENT_DIRECTORY, folder(), OpenHow.directory())
                .orElseThrow();
        assertThat(kernel().files().openByHandle(root, handle, OpenHow.read())).isEmpty();
        Fd again = kernel().files()
                .openByHandle(root, kernel().files().handle(second, false).orElseThrow(), OpenHow.read())
                .orElseThrow();
        assertThat(read(again, 0, 10)).isEqualTo("second");
        assertThat(inode).isPositive();
        close(second, root, again);
    }

    @Test
    void hardLinksAndRenamesAreOfOneFile() throws IOException {
        Fd fd = file("a", "x");
        Fd root = kernel().files()
                .open(Fd.CURRENT_DIRECTORY, folder(), OpenHow.directory())
                .orElseThrow();
        assertThat(kernel().names().link(fd, root, LinuxPath.of("b"))).isTrue();
        assertThat(kernel().names().link(fd, root, LinuxPath.of("b"))).isFalse();
        assertThat(kernel().files().status(fd).links()).isEqualTo(2);
        assertThat(kernel().names().rename(root, LinuxPath.of("a"), root, LinuxPath.of("b")))
                .isTrue(); // rename(2): both are the same file, so nothing is done
        assertThat(names(root)).containsExactlyInAnyOrder("a", "b");
        close(file("c", "y"));
        assertThat(kernel().names().renameNoReplace(root, LinuxPath.of("c"), root, LinuxPath.of("a")))
                .isFalse();
        assertThat(kernel().names().rename(root, LinuxPath.of("c"), root, LinuxPath.of("a")))
                .isTrue();
        assertThat(kernel().files().status(fd).links()).isEqualTo(1);
        assertThat(kernel().names().rename(root, LinuxPath.of("none"), root, LinuxPath.of("a")))
                .isFalse();
        close(fd, root);
    }

    private List<String> names(Fd directory) throws LinuxException {
        return kernel().names().list(directory).stream()
                .map(DirectoryEntry::name)
                .map(LinuxPath::toString)
                .toList();
    }

    @Test
    void aFileWithoutANameGetsOneOrIsGone() throws IOException {
        Fd root = kernel().files()
                .open(Fd.CURRENT_DIRECTORY, folder(), OpenHow.directory())
                .orElseThrow();
        Fd unnamed = kernel().files()
                .open(root, LinuxPath.of("."), OpenHow.temporary(0644))
                .orElseThrow();
        write(unnamed, "whole", 0);
        assertThat(names(root)).isEmpty();
        assertThat(kernel().names().link(unnamed, root, LinuxPath.of("named"))).isTrue();
        assertThat(names(root)).containsExactly("named");
        Fd deleted = file("deleted", "x");
        kernel().names().unlink(root, LinuxPath.of("deleted"));
        fails(Errno.ENOENT, () -> kernel().names().link(deleted, root, LinuxPath.of("back")));
        close(root, unnamed, deleted);
    }

    @Test
    void bytesMoveBetweenFilesAndStopAtTheEnd() throws IOException {
        Fd from = file("from", "0123456789");
        Fd to = file("to", "");
        assertThat(kernel().copies().copyFileRange(from, 2, to, 1, 3)).isEqualTo(3);
        assertThat(kernel().copies().copyFileRange(from, 8, to, 4, 100)).isEqualTo(2);
        assertThat(kernel().copies().copyFileRange(from, 10, to, 0, 100)).isZero();
        assertThat(read(to, 0, 100)).isEqualTo("\00023489");
        kernel().files().seek(to, 0);
        assertThat(kernel().copies().sendfile(to, from, 9, 100)).isEqualTo(1);
        assertThat(kernel().copies().sendfile(to, from, 0, 2)).isEqualTo(2);
        assertThat(read(to, 0, 3)).isEqualTo("901");
        close(from, to);
    }

    @Test
    void writersAreKnownAndLocksExclude() throws IOException {
        Fd writing = file("a", "x");
        Fd reading = open("a", OpenHow.read());
        assertThat(kernel().files().writers(reading)).isEqualTo(OptionalLong.of(1));
        assertThat(kernel().files().tryLock(writing)).isTrue();
        assertThat(kernel().files().tryLock(writing)).isTrue();
        assertThat(kernel().files().tryLock(reading)).isFalse();
        close(writing);
        assertThat(kernel().files().tryLock(reading)).isTrue();
        assertThat(kernel().files().writers(reading)).isEqualTo(OptionalLong.of(0));
        close(reading);
    }

    @Test
    void appendsGoToTheEndWhateverThePosition() throws IOException {
        close(file("a", "123"));
        Fd appending = open("a", OpenHow.append(0644));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) '4', (byte) '5');
            assertThat(kernel().files().write(appending, bytes)).isEqualTo(2);
        }
        Fd reading = open("a", OpenHow.read());
        FileStatus status = kernel().files().status(reading);
        assertThat(status.sizeBytes()).isEqualTo(5);
        assertThat(status.isRegular()).isTrue();
        close(appending, reading);
    }

    /** Everything that happens to files in a watched folder, event by event. */
    @Test
    void aFolderTellsWhatHappensInIt() throws IOException {
        Fd inotify = kernel().watches().inotify();
        Fd root = kernel().files()
                .open(Fd.CURRENT_DIRECTORY, folder(), OpenHow.directory())
                .orElseThrow();
        kernel().watches().addWatch(inotify, root.procPath(), ALL_EVENTS).orElseThrow();
        Fd fd = file("a", "1");
        write(fd, "2", 1); // the same event again is merged
        kernel().names().rename(root, LinuxPath.of("a"), root, LinuxPath.of("b"));
        write(fd, "3", 2);
        kernel().names().unlink(root, LinuxPath.of("b"));
        write(fd, "4", 3); // still told, under its last name
        close(fd);
        kernel().names().mkdir(root, LinuxPath.of("d"), 0755);
        assertThat(told(inotify))
                .containsExactly(
                        "CREATE a",
                        "MODIFY a",
                        "MOVED_FROM a",
                        "MOVED_TO b",
                        "MODIFY b",
                        "DELETE b",
                        "MODIFY b",
                        "CLOSE_WRITE b",
                        "CREATE DIRECTORY d");
        close(inotify, root);
    }

    @Test
    void aFileThatIsFollowedTellsOfItselfUntilItsEnd() throws IOException {
        Fd inotify = kernel().watches().inotify();
        Fd fd = file("a", "1");
        int mask = InotifyEvent.MODIFY | InotifyEvent.CLOSE_WRITE | InotifyEvent.ATTRIB | InotifyEvent.DELETE_SELF;
        int watch = kernel().watches().addWatch(inotify, fd.procPath(), mask).orElseThrow();
        assertThat(kernel().watches().addWatch(inotify, path("a"), mask)).hasValue(watch);
        assertThat(kernel().watches().addWatch(inotify, path("none"), mask)).isEmpty();
        write(fd, "2", 1);
        kernel().names().unlink(Fd.CURRENT_DIRECTORY, path("a"));
        close(fd);
        assertThat(told(inotify)).containsExactly("MODIFY ", "ATTRIB ", "CLOSE_WRITE ", "DELETE_SELF ", "IGNORED ");
        close(inotify);
    }

    @Test
    void epollWaitsForEventsAndForSignals() throws IOException {
        Fd inotify = kernel().watches().inotify();
        Fd epoll = kernel().watches().epoll();
        Fd eventfd = kernel().watches().eventfd();
        kernel().watches().register(epoll, inotify);
        kernel().watches().register(epoll, eventfd);
        assertThat(kernel().watches().await(epoll, 0)).isZero();
        kernel().watches().signal(eventfd);
        kernel().watches().signal(eventfd);
        assertThat(kernel().watches().await(epoll, 0)).isEqualTo(1);
        kernel().watches().addWatch(inotify, folder(), ALL_EVENTS);
        close(file("a", ""));
        assertThat(kernel().watches().await(epoll, 0)).isEqualTo(2);
        kernel().watches().clear(eventfd);
        assertThat(kernel().watches().await(epoll, 0)).isEqualTo(1);
        kernel().watches().readEvents(inotify);
        assertThat(kernel().watches().await(epoll, 0)).isZero();
        close(epoll, eventfd, inotify);
    }

    private List<String> told(Fd inotify) throws LinuxException {
        var told = new ArrayList<String>();
        for (InotifyEvent event : kernel().watches().readEvents(inotify)) {
            String what = "";
            what += event.has(InotifyEvent.CREATE) ? "CREATE " : "";
            what += event.has(InotifyEvent.MODIFY) ? "MODIFY " : "";
            what += event.has(InotifyEvent.MOVED_FROM) ? "MOVED_FROM " : "";
            what += event.has(InotifyEvent.MOVED_TO) ? "MOVED_TO " : "";
            what += event.has(InotifyEvent.DELETE) ? "DELETE " : "";
            what += event.has(InotifyEvent.CLOSE_WRITE) ? "CLOSE_WRITE " : "";
            what += event.has(InotifyEvent.ATTRIB) ? "ATTRIB " : "";
            what += event.has(InotifyEvent.DELETE_SELF) ? "DELETE_SELF " : "";
            what += event.has(InotifyEvent.IGNORED) ? "IGNORED " : "";
            what += event.has(InotifyEvent.IS_DIRECTORY) ? "DIRECTORY " : "";
            told.add(what + event.name());
        }
        return told;
    }
}
