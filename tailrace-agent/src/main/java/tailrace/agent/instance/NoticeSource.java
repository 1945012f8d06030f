package tailrace.agent.instance;

import java.io.IOException;
import java.util.Optional;

/** Who tells that the instance will go. */
public interface NoticeSource {
    /** For messages. */
    String name();

    /**
     * Looks whether there is a notice now.
     *
     * @throws IOException if that cannot be seen; the message says what to do
     */
    Optional<Notice> look() throws IOException, InterruptedException;
}
