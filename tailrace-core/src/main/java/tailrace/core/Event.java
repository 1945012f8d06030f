package tailrace.core;

/**
 * Everything worth a log line. One event is one line and one counter; the reference documentation lists this enum.
 */
public enum Event {
    STARTED(Level.INFO, "The agent runs."),
    DRAINING(Level.INFO, "The agent was told to stop and delivers what is pending."),
    NOTICE(Level.WARN, "Somebody tells that the instance will go."),
    NOTICE_UNAVAILABLE(Level.WARN, "Whoever would tell that the instance will go cannot be asked."),
    HASTENING(Level.WARN, "The instance will go: what would be lost first is delivered first."),
    FINAL_MANIFEST(Level.INFO, "What was pending then is listed beside the manifests."),
    FINAL_MANIFEST_FAILED(Level.WARN, "What is pending could not be listed beside the manifests; it is tried again."),
    STOPPED(Level.INFO, "The agent has stopped."),
    FILE_FOUND(Level.DEBUG, "A file was seen for the first time."),
    FILE_DONE(Level.DEBUG, "A deleted file was delivered whole and is forgotten."),
    FILE_TRUNCATED(Level.INFO, "A file shrank or was rewritten in place: a new epoch begins at its start."),
    FILE_SKIPPED(Level.WARN, "A name matches but is no regular file, or is a symbolic link."),
    FILE_UNREADABLE(Level.WARN, "A matching file cannot be opened or read; it is tried again."),
    FILE_ADOPTED(Level.INFO, "A file is known under another filesystem id: its position was kept."),
    COPY_RECOGNISED(Level.INFO, "A new file is the copy made by a copytruncate rotation; it is not delivered twice."),
    WEAK_IDENTITY(Level.WARN, "A filesystem offers no file handles: inode and birth time stand in."),
    BYTES_LOST(Level.ERROR, "Bytes were gone before they could be read."),
    PIN_FAILED(Level.WARN, "A rotated file could not be given a second name that outlives its deletion."),
    PIN_RELEASED(Level.ERROR, "A deleted file was given up before it was delivered, to keep the budget for pins."),
    ROOT_MISSING(Level.WARN, "The folder of an include pattern does not exist; it is waited for."),
    ROOT_APPEARED(Level.INFO, "The folder of an include pattern has appeared."),
    DIRECTORY_UNREADABLE(Level.WARN, "A folder below an include pattern cannot be read; it is tried again."),
    WATCH_LIMIT(Level.WARN, "No more inotify watches: the folder is polled instead."),
    EVENTS_OVERFLOWED(Level.WARN, "The kernel dropped inotify events; everything was scanned again."),
    DESCRIPTOR_LIMIT(Level.WARN, "No more descriptors: files are opened one by one as they are delivered."),
    BATCH_DELIVERED(Level.DEBUG, "A batch was delivered."),
    DELIVERY_FAILED(Level.WARN, "A delivery failed and is tried again."),
    DELIVERY_REFUSED(Level.ERROR, "The sink refuses a batch; it stays pending and is tried again slowly."),
    DEAD_LETTERED(
            Level.ERROR, "A sink rejects a batch for good: it is in the folder for dead letters, and counts as lost."),
    DELIVERY_RECOVERED(Level.INFO, "A sink accepts deliveries again."),
    SINK_BUG(Level.ERROR, "A sink failed in a way it should not; the delivery is tried again."),
    SINK_SHRANK(Level.WARN, "A file of an append sink is shorter than what was delivered to it."),
    SOURCE_CHANGED(Level.WARN, "A file changed while it was being delivered; nothing of it was committed."),
    ROUTE_REMOVED(Level.WARN, "The ledger knows a route that is not configured any more, with bytes pending."),
    RECORDS_TRUNCATED(
            Level.WARN, "Records were longer than they may be: what they had more is lost, as records.too_long says."),
    LEDGER_RECOVERED(Level.INFO, "The ledger was read."),
    LEDGER_TORN(Level.WARN, "The ledger ended in a half-written record, as after a crash; it was cut there."),
    LEDGER_FULL(Level.ERROR, "No space to write the ledger; deliveries wait."),
    LEDGER_COMPACTED(Level.DEBUG, "The ledger was rewritten as a snapshot."),
    STATUS_UNAVAILABLE(Level.WARN, "The status socket cannot be opened; `status` will read the ledger instead.");

    /** How much it matters. */
    public enum Level {
        DEBUG,
        INFO,
        WARN,
        ERROR
    }

    private final Level level;
    private final String meaning;

    Event(Level level, String meaning) {
        this.level = level;
        this.meaning = meaning;
    }

    public Level level() {
        return level;
    }

    /** One sentence for the reference. */
    public String meaning() {
        return meaning;
    }
}
