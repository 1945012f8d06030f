package tailrace.core.manifest;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/** The checksum of what is stored, as manifests hold it. */
public final class Checksum {
    private static final int BUFFER_BYTES = 128 * 1024;

    private Checksum() {}

    /** CRC32C of {@code lengthBytes} from a position on; of fewer where the file ends before. */
    public static int crc32c(FileCalls files, Fd file, long position, long lengthBytes) throws LinuxException {
        var crc = new CRC32C();
        try (Arena arena = Arena.ofConfined()) {
            var buffer = new AlignedBuffer(arena, BUFFER_BYTES);
            long at = position;
            long end = position + lengthBytes;
            while (at < end) {
                MemorySegment view = buffer.at(at, Math.min(BUFFER_BYTES, end - at));
                int n = files.pread(file, view, at);
                if (n == 0) {
                    break;
                }
                crc.update(view.asSlice(0, n).asByteBuffer());
                at += n;
            }
        }
        return (int) crc.getValue();
    }
}
