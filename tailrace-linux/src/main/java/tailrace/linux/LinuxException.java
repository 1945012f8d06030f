package tailrace.linux;

import java.io.IOException;

/** A system call failed in a way that its caller did not ask about. Answers that are expected are values instead. */
public final class LinuxException extends IOException {
    private final String call;
    private final Errno errno;

    public LinuxException(String call, Errno errno, int number, String subject) {
        super(call + " " + subject + ": "
                + (errno == Errno.OTHER ? "errno " + number : errno.meaning() + " (" + errno + ")"));
        this.call = call;
        this.errno = errno;
    }

    public LinuxException(String call, Errno errno, String subject) {
        this(call, errno, errno.number(), subject);
    }

    /** The system call's name as in section 2 of the manual. */
    public String call() {
        return call;
    }

    public Errno errno() {
        return errno;
    }
}
