package tailrace.agent.command;

/** How commands end. */
final class ExitCode {
    static final int OK = 0;

    /** What was to be shown does not hold, or could not be done. */
    static final int FAILED = 1;

    /** The command line or the configuration is wrong. */
    static final int USAGE = 2;

    /** Stopped with bytes pending, as EX_TEMPFAIL of sysexits.h: start again and it goes on. */
    static final int PENDING = 75;

    static final String HELP = "%nExit status:%n"
            + "  0    done; everything that was to be delivered is%n"
            + "  1    failed; the message says why%n"
            + "  2    the command line or the configuration is wrong%n"
            + "  75   stopped with bytes pending; the next start goes on where this one stopped%n";

    private ExitCode() {}
}
