package tailrace.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinuxKernelTest {
    private final Kernel kernel = new LinuxKernel();
    private final FileCalls files = kernel.files();
    private final NameCalls names = kernel.names();

    @TempDir
    Path folder;

    private Fd directory;

    @BeforeEach
    void openTheFolder() throws IOException {
        directory = open(LinuxPath.of(folder.toString()), OpenHow.directory());
    }

    private Fd open(LinuxPath path, OpenHow how) throws LinuxException {
        return files.open(Fd.CURRENT_DIRECTORY, path, how).orElseThrow();
    }

    private Fd openHere(String name, OpenHow how) throws LinuxException {
        return files.open(directory, LinuxPath.of(name), how).orElseThrow();
    }

    private Path write(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    @Test
    void aMissingNameIsAnAnswerAndNotAnException() throws IOException {
        assertThat(files.open(directory, LinuxPath.of("nothing"), OpenHow.read()))
                .isEmpty();
        assertThat(files.status(directory, LinuxPath.of("nothing"))).isEmpty();
        assertThat(names.unlink(directory, LinuxPath.of("nothing"))).isFalse();
        assertThat(names.rename(directory, LinuxPath.of("nothing"), directory, LinuxPath.of("x")))
                .isFalse();
        assertThat(names.readlink(directory, LinuxPath.of("nothing"))).isEmpty();
    }

    @Test
    void anUnexpectedAnswerNamesTheCallThePathAndTheErrno() {
        assertThatThrownBy(() -> files.open(directory, LinuxPath.of("."), OpenHow.create(0600)))
                .isInstanceOf(LinuxException.class)
                .hasMessageContaining("openat .: is a directory (EISDIR)");
    }

    @Test
    void aFileGivenTheInodeOfADeletedOneHasAnotherHandle() throws IOException {
        var inodes = new HashSet<Long>();
        var handles = new HashSet<FileHandle>();
        for (int i = 0; i < 200 && inodes.size() == handles.size(); i++) {
            write("reused", "x");
            Fd fd = openHere("reused", OpenHow.read());
            inodes.add(files.status(fd).inode());
            handles.add(files.handle(fd, true).orElseThrow());
            files.close(fd);
            Files.delete(folder.resolve("reused"));
        }
        assertThat(inodes.size())
                .as("the filesystem gave an inode number a second time")
                .isLessThan(handles.size());
    }

    @Test
    void readsIntoNativeMemoryAndStraightIntoAnArrayAtAnyPosition() throws IOException {
        write("text", "0123456789".repeat(1000));
        Fd fd = openHere("text", OpenHow.read());
        try (Arena arena = Arena.ofConfined()) {
            var buffer = new AlignedBuffer(arena, 8192);
            for (long position : new long[] {0, 1, 4095, 4096, 5003}) {
                MemorySegment view = buffer.at(position, 100);
                assertThat((view.address() - position) % 4096).isZero();
                assertThat(files.pread(fd, view, position)).isEqualTo(100);
                assertThat(view.get(JAVA_BYTE, 0)).isEqualTo((byte) ('0' + position % 10));
                byte[] array = new byte[120];
                assertThat(files.preadCritical(fd, array, 20, 100, position)).isEqualTo(100);
                assertThat(array[20]).isEqualTo((byte) ('0' + position % 10));
                assertThat(array[19]).isZero();
            }
            assertThat(files.pread(fd, buffer.at(10_000, 100), 10_000)).isZero();
        }
        files.close(fd);
    }

    @Test
    void copiesInsideTheKernelByEachOfThreeCalls() throws IOException {
        write("from", "x".repeat(5000) + "end");
        Fd from = openHere("from", OpenHow.read());
        Fd to = openHere("to", OpenHow.create(0600));
        assertThat(kernel.copies().copyFileRange(from, 0, to, 3, 10_000)).isEqualTo(5003);
        assertThat(Files.readString(folder.resolve("to"))).isEqualTo("\0\0\0" + "x".repeat(5000) + "end");

        Fd appended = openHere("sent", OpenHow.create(0600));
        assertThat(kernel.copies().sendfile(appended, from, 4990, 100)).isEqualTo(13);
        assertThat(Files.readString(folder.resolve("sent"))).isEqualTo("xxxxxxxxxxend");
        assertThatThrownBy(() -> kernel.copies().splice(from, to, 10))
                .isInstanceOf(LinuxException.class)
                .hasMessageContaining("EINVAL");
    }

    @Test
    void aTemporaryFileGetsItsNameOnlyWhenItIsLinkedAndOnlyOnce() throws IOException {
        Fd temporary = open(LinuxPath.of(folder.toString()), OpenHow.temporary(0644));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom("whole");
            assertThat(files.pwrite(temporary, text.asSlice(0, 5), 0)).isEqualTo(5);
        }
        files.fdatasync(temporary);
        assertThat(folder).isEmptyDirectory();
        assertThat(names.link(temporary, directory, LinuxPath.of("object"))).isTrue();
        assertThat(names.link(temporary, directory, LinuxPath.of("object"))).isFalse();
        files.fsync(directory);
        assertThat(folder.resolve("object")).hasContent("whole");
        assertThat(files.status(temporary).links()).isEqualTo(1);
    }

    @Test
    void namesThatAreNoUtf8AreListedOpenedAndShown() throws IOException {
        LinuxPath strange = LinuxPath.ofBytes(new byte[] {'a', (byte) 0xFF, '\n', ' ', (byte) 0xC3, (byte) 0xA9});
        files.close(files.open(directory, strange, OpenHow.createNew(0600)).orElseThrow());
        assertThat(names.list(directory)).extracting(DirectoryEntry::name).containsExactly(strange);
        assertThat(files.open(directory, strange, OpenHow.read())).isPresent();
        assertThat(strange).hasToString("a\\xff\\x0a é");
    }

    @Test
    void aDirectoryLargerThanOneListingIsListedWhole() throws IOException {
        for (int i = 0; i < 3000; i++) {
            write("a-file-with-quite-a-long-name-" + i, "");
        }
        assertThat(names.list(directory)).hasSize(3000);
    }

    @Test
    void aSymbolicLinkIsNoWayOutOfTheDirectory() throws IOException {
        Files.createDirectory(folder.resolve("inside"));
        Files.createSymbolicLink(folder.resolve("inside/out"), Path.of("/etc"));
        Fd inside = openHere("inside", OpenHow.directory());
        assertThatThrownBy(() -> files.open(
                        inside, LinuxPath.of("out/passwd"), OpenHow.read().beneathWithoutLinks()))
                .hasMessageContaining("ELOOP");
        assertThatThrownBy(() -> files.open(
                        inside, LinuxPath.of("../inside"), OpenHow.read().beneathWithoutLinks()))
                .hasMessageContaining("EXDEV");
        assertThat(names.readlink(inside, LinuxPath.of("out"))).contains(LinuxPath.of("/etc"));
    }

    @Test
    void inotifyPairsTheTwoHalvesOfARename() throws IOException {
        WatchCalls watches = kernel.watches();
        Fd inotify = watches.inotify();
        int mask = InotifyEvent.MOVED_FROM | InotifyEvent.MOVED_TO | InotifyEvent.CREATE;
        assertThat(watches.addWatch(inotify, LinuxPath.of(folder.toString()), mask))
                .isPresent();
        assertThat(watches.addWatch(inotify, LinuxPath.of(folder + "/none"), mask))
                .isEmpty();
        Fd epoll = watches.epoll();
        watches.register(epoll, inotify);
        assertThat(watches.await(epoll, 0)).isZero();

        write("before", "");
        Files.move(folder.resolve("before"), folder.resolve("after"));
        assertThat(watches.await(epoll, 1000)).isEqualTo(1);
        var events = watches.readEvents(inotify);
        assertThat(events).extracting(e -> e.name().toString()).containsExactly("before", "before", "after");
        assertThat(events.get(1).has(InotifyEvent.MOVED_FROM)).isTrue();
        assertThat(events.get(2).cookie()).isEqualTo(events.get(1).cookie()).isNotZero();
        assertThat(watches.readEvents(inotify)).isEmpty();
    }

    @Test
    void anEventfdWakesTheOneWhoWaits() throws IOException {
        WatchCalls watches = kernel.watches();
        Fd epoll = watches.epoll();
        Fd event = watches.eventfd();
        watches.register(epoll, event);
        watches.signal(event);
        watches.signal(event);
        assertThat(watches.await(epoll, 1000)).isEqualTo(1);
        watches.clear(event);
        watches.clear(event);
        assertThat(watches.await(epoll, 0)).isZero();
    }

    @Test
    void aLockHeldByAnotherOpenFileIsAnAnswer() throws IOException {
        Fd first = openHere("lock", OpenHow.create(0600));
        Fd second = openHere("lock", OpenHow.create(0600));
        assertThat(files.tryLock(first)).isTrue();
        assertThat(files.tryLock(second)).isFalse();
        files.close(first);
        assertThat(files.tryLock(second)).isTrue();
    }

    @Test
    void aLeaseTellsWhetherSomebodyStillWrites() throws IOException {
        Path file = write("written", "x");
        Fd reader = openHere("written", OpenHow.read());
        assertThat(files.writers(reader)).isEqualTo(OptionalLong.of(0));
        try (var out = Files.newOutputStream(file)) {
            out.write("y".getBytes(UTF_8));
            assertThat(files.writers(reader)).isEqualTo(OptionalLong.of(1));
        }
        assertThat(files.writers(reader)).isEqualTo(OptionalLong.of(0));
    }

    /** Without care the first of these openings that meets a lease ends this process by SIGIO. */
    @Test
    void askingWhoWritesSurvivesThoseWhoBeginTo() throws Exception {
        Path file = write("opened", "x");
        Fd reader = openHere("opened", OpenHow.read());
        Process opener = new ProcessBuilder(
                        "sh", "-c", "i=0; while [ $i -lt 30000 ]; do : >> " + file + "; i=$((i+1)); done")
                .start();
        long asked = 0;
        while (opener.isAlive()) {
            assertThat(files.writers(reader)).isPresent();
            asked++;
        }
        assertThat(opener.waitFor()).isZero();
        assertThat(asked).isGreaterThan(1000);
    }

    @Test
    void aRenameThatMustNotReplaceDoesNot() throws IOException {
        write("one", "1");
        write("two", "2");
        LinuxPath one = LinuxPath.of("one");
        LinuxPath two = LinuxPath.of("two");
        assertThat(names.renameNoReplace(directory, one, directory, two)).isFalse();
        assertThat(names.rename(directory, one, directory, two)).isTrue();
        assertThat(folder.resolve("two")).hasContent("1");
        assertThat(names.mkdir(directory, two, 0700)).isFalse();
        assertThat(names.mkdir(directory, LinuxPath.of("three"), 0700)).isTrue();
    }

    @Test
    void aFileIsFoundByItsHandleWhereverItWasMovedAndNotOnceItIsGone() throws IOException {
        write("here", "content");
        Fd fd = openHere("here", OpenHow.read());
        Optional<FileHandle> handle = files.handle(fd, false);
        files.close(fd);
        Files.createDirectory(folder.resolve("elsewhere"));
        Files.move(folder.resolve("here"), folder.resolve("elsewhere/there"));
        Fd found;
        try {
            found = files.openByHandle(directory, handle.orElseThrow(), OpenHow.read())
                    .orElseThrow();
        } catch (LinuxException e) {
            assertThat(e.errno()).as("only for want of the capability").isEqualTo(Errno.EPERM);
            return;
        }
        assertThat(files.status(found).sizeBytes()).isEqualTo(7);
        files.close(found);
        Files.delete(folder.resolve("elsewhere/there"));
        assertThat(files.openByHandle(directory, handle.orElseThrow(), OpenHow.read()))
                .isEmpty();
    }

    @Test
    void describesAFileAndItsFilesystem() throws IOException {
        write("four", "1234");
        Fd fd = openHere("four", OpenHow.read());
        FileStatus status = files.status(fd);
        assertThat(status.sizeBytes()).isEqualTo(4);
        assertThat(status.isRegular()).isTrue();
        assertThat(status.kind()).isEqualTo("a regular file");
        assertThat(status.inode()).isEqualTo(Files.getAttribute(folder.resolve("four"), "unix:ino"));
        assertThat(status.modified())
                .isEqualTo(Files.getLastModifiedTime(folder.resolve("four")).toInstant());
        FilesystemStatus filesystem = files.filesystem(fd);
        assertThat(filesystem.totalBytes()).isEqualTo(Files.getFileStore(folder).getTotalSpace());
        assertThat(filesystem.typeName()).isNotEmpty();
    }
}
