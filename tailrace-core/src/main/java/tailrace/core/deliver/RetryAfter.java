package tailrace.core.deliver;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import tailrace.core.Clock;

/**
 * The header by which a server says when to come again: seconds, or a date.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3">RFC 9110, 10.2.3</a>
 */
public final class RetryAfter {
    private RetryAfter() {}

    /** Zero if the value is neither. */
    public static Duration parse(String value) {
        String text = value.strip();
        try {
            return text.matches("\\d{1,9}")
                    ? Duration.ofSeconds(Long.parseLong(text))
                    : Duration.between(
                            Clock.SYSTEM.now(),
                            ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                                    .toInstant());
        } catch (DateTimeException e) {
            return Duration.ZERO;
        }
    }
}
