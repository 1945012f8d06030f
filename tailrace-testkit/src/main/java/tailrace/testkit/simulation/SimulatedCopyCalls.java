package tailrace.testkit.simulation;

import tailrace.linux.CopyCalls;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.LinuxException;

final class SimulatedCopyCalls implements CopyCalls {
    private static final int MAX_MOVED_BYTES = 1 << 20;

    private final SimulatedKernel process;
    private final byte[] scratch = new byte[MAX_MOVED_BYTES];

    SimulatedCopyCalls(SimulatedKernel process) {
        this.process = process;
    }

    @Override
    public long copyFileRange(Fd from, long fromOffset, Fd to, long toOffset, long lengthBytes) throws LinuxException {
        process.before("copy_file_range", to);
        return move("copy_file_range", from, fromOffset, to, toOffset, lengthBytes);
    }

    private int move(String call, Fd from, long fromOffset, Fd to, long toOffset, long lengthBytes)
            throws LinuxException {
        Inode source = process.inode(from, call);
        int wanted = source.read(fromOffset, scratch, (int) Math.min(lengthBytes, MAX_MOVED_BYTES));
        if (wanted == 0) {
            return 0;
        }
        int n = process.interference.shorten(call, wanted);
        return ((SimulatedFileCalls) process.files()).write(call, to, scratch, n, toOffset);
    }

    @Override
    public long sendfile(Fd to, Fd from, long fromOffset, long lengthBytes) throws LinuxException {
        process.before("sendfile", to);
        OpenFile target = process.get(to, "sendfile");
        int n = move("sendfile", from, fromOffset, to, target.position, lengthBytes);
        target.position += n;
        return n;
    }

    /** There are no pipes here. */
    @Override
    public long splice(Fd from, Fd to, long lengthBytes) throws LinuxException {
        throw new LinuxException("splice", Errno.EINVAL, from.toString());
    }

    /** As on ext4: it cannot. */
    @Override
    public boolean reflink(Fd from, Fd to) throws LinuxException {
        process.before("ioctl", to);
        return false;
    }
}
