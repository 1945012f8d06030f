package tailrace.core.deliver;

/**
 * What {@code tailrace doctor} learns of a sink.
 *
 * @param text what was found, and what to do if it is not well
 */
public record Finding(Grade grade, String text) {
    /** How well it is. */
    public enum Grade {
        OK,
        WARN,
        FAIL
    }

    public static Finding ok(String text) {
        return new Finding(Grade.OK, text);
    }

    public static Finding warn(String text) {
        return new Finding(Grade.WARN, text);
    }

    public static Finding fail(String text) {
        return new Finding(Grade.FAIL, text);
    }
}
