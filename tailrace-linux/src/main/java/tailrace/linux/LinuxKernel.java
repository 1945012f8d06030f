package tailrace.linux;

/** The running kernel, by system call. */
public final class LinuxKernel implements Kernel {
    private final FileCalls files = new LinuxFileCalls();
    private final NameCalls names = new LinuxNameCalls();
    private final CopyCalls copies = new LinuxCopyCalls();
    private final WatchCalls watches = new LinuxWatchCalls();

    @Override
    public FileCalls files() {
        return files;
    }

    @Override
    public NameCalls names() {
        return names;
    }

    @Override
    public long processId() {
        return ProcessHandle.current().pid();
    }

    @Override
    public CopyCalls copies() {
        return copies;
    }

    @Override
    public WatchCalls watches() {
        return watches;
    }
}
