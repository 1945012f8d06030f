package tailrace.linux;

/**
 * An open file descriptor of this process. Whoever got it from an opening call owns it and closes it once with
 * {@link FileCalls#close}; a copy of this record is not a copy of the descriptor, {@link FileCalls#duplicate} is.
 */
public record Fd(int number) {
    /** Stands for "the current directory" where a call takes a directory: AT_FDCWD. Absolute paths ignore it. */
    public static final Fd CURRENT_DIRECTORY = new Fd(-100);

    /** The name under which this process can reach the open file again, even when it has no other name left. */
    public LinuxPath procPath() {
        return LinuxPath.of("/proc/self/fd/" + number);
    }

    @Override
    public String toString() {
        return "fd " + number;
    }
}
