package tailrace.testkit.torture;

import java.io.PrintStream;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A readable account of a run, or none. */
final class Trace {
    private final @Nullable PrintStream out;

    Trace(@Nullable PrintStream out) {
        this.out = out;
    }

    void note(Scheduler at, Supplier<String> text) {
        PrintStream to = out;
        if (to != null) {
            to.printf("%10.3f s  %6d  %s%n", at.nanos() / 1e9, at.calls(), text.get());
        }
    }

    void call(Scheduler at, String call, String subject, String failure) {
        if (out != null && !call.equals("epoll_pwait") && !subject.equals("inotify")) {
            note(at, () -> "    " + call + " " + subject + (failure.isEmpty() ? "" : " -> " + failure));
        }
    }
}
