package tailrace.core.track;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/** CRC32C of the last bytes before an offset: as long as it stays the same, the file goes on where it was left. */
public final class Guard {
    /** Enough to hold the end of a log line or two; one cache-hot pread either way. */
    public static final int LENGTH_BYTES = 256;

    /** The guard of offset 0, before which there is nothing. */
    public static final int NOTHING = 0;

    private Guard() {}

    /**
     * Reads the guard of an offset.
     *
     * @param buffer scratch space of the calling thread
     * @return the guard; where the file is shorter, the guard of what is there, which differs
     */
    public static int at(FileCalls files, Fd fd, long offset, AlignedBuffer buffer) throws LinuxException {
        long from = Math.max(0, offset - LENGTH_BYTES);
        return crc(files, fd, from, offset - from, buffer);
    }

    static int crc(FileCalls files, Fd fd, long from, long lengthBytes, AlignedBuffer buffer) throws LinuxException {
        if (lengthBytes == 0) {
            return NOTHING;
        }
        MemorySegment view = buffer.at(from, lengthBytes);
        int read = files.preadFully(fd, view, from);
        var crc = new CRC32C();
        crc.update(view.asSlice(0, read).asByteBuffer());
        return (int) crc.getValue();
    }
}
