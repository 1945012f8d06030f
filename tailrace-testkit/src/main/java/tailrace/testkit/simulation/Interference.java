package tailrace.testkit.simulation;

import java.util.function.BooleanSupplier;
import tailrace.linux.LinuxException;

/** Who stands between a process and its simulated kernel: may fail a call, shorten it, let others act, or end it all. */
public interface Interference {
    /** Lets every call pass; a wait ends at once. */
    Interference NONE = new Interference() {};

    /**
     * A call is about to be made.
     *
     * @param call its name as in the manual
     * @param subject what it is made on, for a trace and for choosing: a path, or the name by which a descriptor was
     *     opened
     * @throws LinuxException to fail it
     */
    default void before(String call, String subject) throws LinuxException {}

    /** How many of so many bytes a read, write or copy moves: at least one. */
    default int shorten(String call, int bytes) {
        return bytes;
    }

    /** The process waits until something is ready, or the timeout has passed. */
    default void await(int timeoutMillis, BooleanSupplier ready) {}
}
