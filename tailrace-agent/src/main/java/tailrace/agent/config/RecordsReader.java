package tailrace.agent.config;

import java.util.Locale;
import java.util.Optional;
import tailrace.core.batch.RecordRules;
import tailrace.core.batch.RecordRules.Filter;
import tailrace.core.batch.RecordRules.Origin;
import tailrace.core.batch.RecordRules.TooLong;
import tailrace.core.deliver.SettingValues;
import tailrace.core.engine.EngineSettings.SinkSettings;
import tailrace.core.watch.Framing;
import tailrace.core.watch.Source;

/** Reads {@code records} of a route: what is done with each on its way. */
final class RecordsReader {
    private static final String SECTION = "records";
    private static final long MOST_BYTES = 64L << 20;

    private RecordsReader() {}

    /**
     * What a route wants.
     *
     * @throws IllegalArgumentException if that does not go with its source or its sink; the message is for a person
     */
    static RecordRules read(Section section, SettingValues values, Source source, SinkSettings sink, String host) {
        var filter = new Filter(section.pattern(values, "include"), section.pattern(values, "exclude"));
        TooLong tooLong = TooLong.valueOf(values.string("too_long").toUpperCase(Locale.ROOT));
        boolean inEnvelope = values.string("envelope").equals("json");
        var rules = new RecordRules(
                source.framing(),
                source.encoding(),
                filter,
                values.has("max") ? values.sizeBytes("max") : 0,
                tooLong,
                inEnvelope ? Optional.of(new Origin(host, source.name(), source.labels())) : Optional.empty());
        check(rules, values, sink);
        return rules;
    }

    private static void check(RecordRules rules, SettingValues values, SinkSettings sink) {
        boolean takesRecords = sink.provider().takesRecords(sink.values());
        if (rules.changeBytes() && rules.framing() instanceof Framing.Raw) {
            refuse("there are none with framing: raw");
        }
        if (values.has("max") && (rules.maxBytes() < 1 || rules.maxBytes() > MOST_BYTES)) {
            refuse("max is at least 1B and at most 64MiB, since a record is held in memory");
        }
        if (rules.tooLong() != TooLong.SPLIT && rules.maxBytes() == 0 && !takesRecords) {
            refuse("too_long: " + values.string("too_long") + " needs max: longer than what?");
        }
        if (rules.envelope().isPresent() && !sink.provider().takesEnvelope(sink.values())) {
            refuse("the sink " + sink.name() + " puts records into an envelope of its own: leave envelope out");
        }
        boolean canBeCut = rules.framing() instanceof Framing.Lines || rules.framing() instanceof Framing.Multiline;
        if (rules.tooLong() == TooLong.TRUNCATE
                && !takesRecords
                && rules.envelope().isEmpty()
                && !canBeCut) {
            refuse("what is left of a truncated record cannot be told from the next with this framing: use envelope:"
                    + " json");
        }
    }

    private static void refuse(String why) {
        throw new IllegalArgumentException(SECTION + ": " + why);
    }
}
