package tailrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

class FaultyKernelTest {
    @TempDir
    Path folder;

    /** A call that is made of others does not pass by their faults. */
    @Test
    void whatIsMadeOfFailingCallsFails() throws IOException {
        var kernel = new FaultyKernel();
        FileCalls files = kernel.files();
        Fd file = files.open(
                        Fd.CURRENT_DIRECTORY,
                        LinuxPath.of(folder.resolve("file").toString()),
                        OpenHow.createNew(0600))
                .orElseThrow();
        try (Arena arena = Arena.ofConfined()) {
            var bytes = arena.allocateFrom("some", UTF_8);
            files.pwriteFully(file, bytes, 0);
            assertThat(files.status(file).sizeBytes()).isEqualTo(5);
            kernel.fail(Errno.ENOSPC, call -> call.name().equals("pwrite"));
            kernel.fail(Errno.EIO, call -> call.name().equals("write"));
            kernel.fail(Errno.EIO, call -> call.name().equals("pread"));
            assertThatThrownBy(() -> files.pwriteFully(file, bytes, 0)).isInstanceOf(LinuxException.class);
            assertThatThrownBy(() -> files.writeFully(file, bytes)).isInstanceOf(LinuxException.class);
            assertThatThrownBy(() -> files.preadFully(file, bytes, 0)).isInstanceOf(LinuxException.class);
        }
        files.close(file);
    }
}
