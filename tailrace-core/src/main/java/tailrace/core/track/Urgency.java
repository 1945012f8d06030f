package tailrace.core.track;

/** What is lost first when the instance goes, first. */
public enum Urgency {
    /** It has neither a name nor a pin: its bytes go with this process. */
    GOING,
    /** It lies on a disk that goes with the instance. */
    EPHEMERAL,
    /** Its disk may be mounted again. */
    LASTING
}
