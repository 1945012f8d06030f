package tailrace.linux;

/**
 * Linux as tailrace sees it, in four roles. Take the role you need, not the whole: a component's constructor then tells
 * what it can do to the machine.
 *
 * <p>Common to all roles: safe for use by many threads; EINTR is retried inside; answers that a caller should expect
 * (no such name, would block, exists already) are values, all others a {@link LinuxException}.
 */
public interface Kernel {
    FileCalls files();

    NameCalls names();

    CopyCalls copies();

    WatchCalls watches();

    /** The number of this process. */
    long processId();
}
