package tailrace.agent.console;

import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.linux.Fd;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

/**
 * Standard error: events as lines, and below them, on a terminal, one line that changes. Colours only on a terminal, and
 * not if NO_COLOR is set. Safe for use by many threads.
 */
public final class Screen implements EventLog.Writer {
    private static final String CLEAR_LINE = "\r\u001B[2K";

    private final PrintStream err;
    private final boolean terminal;
    private final boolean colours;
    private final Event.Level least;
    private String live = "";

    /** @param least events below this level are counted and not shown */
    public Screen(Event.Level least) {
        this.err = System.err;
        this.terminal = isTerminal(2);
        this.colours = terminal && System.getenv("NO_COLOR") == null;
        this.least = least;
    }

    /** Whether a descriptor of this process leads to a terminal. */
    public static boolean isTerminal(int descriptor) {
        try {
            Optional<LinuxPath> target =
                    new LinuxKernel().names().readlink(Fd.CURRENT_DIRECTORY, new Fd(descriptor).procPath());
            return target.isPresent() && target.get().toString().matches("/dev/(pts/[0-9]+|tty.*|console)");
        } catch (LinuxException e) {
            return false;
        }
    }

    public boolean isTerminal() {
        return terminal;
    }

    @Override
    public void write(Event event, String line) {
        if (event.level().compareTo(least) >= 0) {
            String time = Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
            print(time + " " + paint(event.level()) + " " + event + " " + line);
        }
    }

    private String paint(Event.Level level) {
        String name = "%-5s".formatted(level);
        if (!colours) {
            return name;
        }
        String colour = switch (level) {
            case DEBUG -> "\u001B[2m";
            case INFO -> "\u001B[32m";
            case WARN -> "\u001B[33m";
            case ERROR -> "\u001B[31m";
        };
        return colour + name + "\u001B[0m";
    }

    /** A line that stays. */
    public synchronized void print(String line) {
        if (terminal && !live.isEmpty()) {
            err.print(CLEAR_LINE + line + "\n" + live);
        } else {
            err.println(line);
        }
        err.flush();
    }

    /** The line that changes; elsewhere than on a terminal nothing. Empty to end it. */
    public synchronized void live(String line) {
        if (terminal) {
            err.print(CLEAR_LINE + line);
            err.flush();
            live = line;
        }
    }
}
