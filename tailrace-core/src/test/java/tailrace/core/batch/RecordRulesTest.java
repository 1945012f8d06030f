package tailrace.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tailrace.core.batch.RecordRules.Filter;
import tailrace.core.batch.RecordRules.Origin;
import tailrace.core.batch.RecordRules.TooLong;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;

class RecordRulesTest {
    private static final Filter FILTER =
            new Filter(Optional.of(Pattern.compile("a\"b\\d\u0001\u0002")), Optional.of(Pattern.compile("é")));
    private static final Origin ORIGIN = new Origin("host", "app", Map.of("team", "a b", "label.x", ""));

    private static String text(RecordRules rules) {
        return RecordRulesText.of(rules);
    }

    @Test
    void aPartitionRemembersThem() {
        List<Framing> framings = List.of(
                Framing.LINES,
                new Framing.Raw(),
                new Framing.Cri(),
                new Framing.WholeFile(),
                new Framing.Length(Framing.Prefix.U32_BE),
                new Framing.Length(Framing.Prefix.U32_LE),
                new Framing.Length(Framing.Prefix.VARINT),
                new Framing.Multiline(Pattern.compile("^\\s\u0001"), true),
                new Framing.Multiline(Pattern.compile("^\\s"), false));
        for (Framing framing : framings) {
            for (Encoding encoding : Encoding.values()) {
                var rules = new RecordRules(framing, encoding, FILTER, 77, TooLong.TRUNCATE, Optional.of(ORIGIN));
                for (String partition : List.of("lane-0", "", "app/\u0002x\u0002")) {
                    String marked = rules.mark(partition);
                    assertThat(text(RecordRules.ofPartition(marked))).isEqualTo(text(rules));
                    assertThat(RecordRules.unmarked(marked)).isEqualTo(partition);
                }
                assertThat(RecordRules.ofPartition(Codec.of(Codec.Format.GZIP).mark(rules.mark("x")))
                                .framing())
                        .isEqualTo(framing);
            }
        }
    }

    @Test
    void plainOnesLeaveNoMark() {
        assertThat(RecordRules.PLAIN.mark("x")).isEqualTo("x");
        assertThat(RecordRules.ofPartition("x")).isEqualTo(RecordRules.PLAIN);
        assertThat(RecordRules.unmarked("x")).isEqualTo("x");
        assertThat(RecordRules.PLAIN.changeBytes()).isFalse();
    }

    @Test
    void aRecordStaysIfOnePatternIsFoundAndTheOtherIsNot() {
        var both = new Filter(Optional.of(Pattern.compile("ERROR")), Optional.of(Pattern.compile("health")));
        assertThat(both.keeps("an ERROR")).isTrue();
        assertThat(both.keeps("an ERROR of health")).isFalse();
        assertThat(both.keeps("INFO")).isFalse();
        assertThat(Filter.NONE.keeps("")).isTrue();
    }
}
