package tailrace.core.deliver;

import java.util.List;
import tailrace.core.EventLog;
import tailrace.linux.Kernel;

/** Makes the sinks of one type. Found by {@link java.util.ServiceLoader}. */
public interface SinkProvider {
    /** What stands behind {@code type:} in the configuration. */
    String type();

    /** Its other keys in the configuration: the only ones that are accepted, and the source of its documentation. */
    List<Setting> settings();

    /**
     * Makes a sink. It does not connect to anything yet: what is not there now may be there later.
     *
     * @throws IllegalArgumentException if the values do not fit together, with a message for a person
     */
    Sink open(SettingValues values, Context context);

    /** Whether its sinks take bytes that are compressed, which have no records and no position in a longer object. */
    default boolean takesCompressed(SettingValues values) {
        return false;
    }

    /**
     * Whether its sinks cut batches into records by themselves, by {@link Records#each}. If not, they get bytes as the
     * batch's {@link tailrace.core.batch.RecordRules} make them.
     */
    default boolean takesRecords(SettingValues values) {
        return false;
    }

    /** Whether records may come in an envelope: not where the sink has one of its own. */
    default boolean takesEnvelope(SettingValues values) {
        return !takesRecords(values);
    }

    /**
     * Whether its sinks write batches into files, by {@link BatchContent#transferTo(tailrace.linux.Fd, long)}, and ask how long
     * they are only afterwards: then bytes that must be made are made straight into those files.
     */
    default boolean writesFiles() {
        return false;
    }

    /** The key template of a route that names none. */
    String defaultKey(SettingValues values);

    /**
     * What a sink is given.
     *
     * @param host the name of this host
     * @param ledger the ledger's id: eight hexadecimal digits
     */
    record Context(Kernel kernel, EventLog log, String host, String ledger, Integrity integrity) {}
}
