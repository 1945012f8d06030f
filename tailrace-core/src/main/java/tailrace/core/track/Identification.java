package tailrace.core.track;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileHandle;
import tailrace.linux.FileStatus;
import tailrace.linux.LinuxException;

/**
 * Finds out who an open file is, from its descriptor, so that no rename can come between. The ladder: AT_HANDLE_FID,
 * plain handle, inode and birth time. Which step a filesystem needs is found once per device. For one thread.
 */
public final class Identification {
    private record Filesystem(String id, boolean plainHandle) {}

    private final FileCalls files;
    private final Map<Long, Filesystem> byDevice = new HashMap<>();

    public Identification(FileCalls files) {
        this.files = files;
    }

    public FileIdentity identify(Fd fd, FileStatus status) throws LinuxException {
        Filesystem filesystem = byDevice.get(status.device());
        if (filesystem == null) {
            filesystem = examine(fd, status);
            byDevice.put(status.device(), filesystem);
        }
        Optional<FileHandle> handle = files.handle(fd, !filesystem.plainHandle);
        if (handle.isEmpty() && !filesystem.plainHandle) {
            handle = files.handle(fd, false);
        }
        return new FileIdentity(filesystem.id, handle.orElseGet(() -> standIn(status)));
    }

    /** The id of the filesystem that the open file lies on. */
    public String filesystem(Fd fd) throws LinuxException {
        return identify(fd, files.status(fd)).filesystem();
    }

    private Filesystem examine(Fd fd, FileStatus status) throws LinuxException {
        Optional<byte[]> uuid = files.filesystemUuid(fd);
        String id;
        if (uuid.isPresent()) {
            id = HexFormat.of().formatHex(uuid.get());
        } else {
            long fsid = files.filesystem(fd).id();
            id = HexFormat.of().toHexDigits(fsid != 0 ? fsid : status.device());
        }
        // The same file's two kinds of handle differ on some filesystems, so the choice is made once.
        boolean plainHandle = files.handle(fd, true).isEmpty();
        return new Filesystem(id, plainHandle);
    }

    private static FileHandle standIn(FileStatus status) {
        byte[] bytes = ByteBuffer.allocate(20)
                .putLong(status.inode())
                .putLong(status.birth().getEpochSecond())
                .putInt(status.birth().get(java.time.temporal.ChronoField.NANO_OF_SECOND))
                .array();
        return new FileHandle(FileIdentity.STAND_IN, bytes);
    }
}
