package tailrace.testkit.torture;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tailrace.core.Clock;

/**
 * What nobody could have prevented. Lines whose bytes were destroyed may have been read in time or not; lines of which
 * there was a copy when the agent could not know what it was for may arrive once more. Everything else is a violation.
 * docs/guarantees.md says the same in prose.
 */
final class Excuses {
    /** A file that is not in the durable ledger by then, nor where a pattern matches, is not found after a crash. */
    private static final long LEDGER_NANOS = 2_000_000_000L;

    private static final long LEDGER_RESTS = 12;

    /** However long the agent was kept from coming to rest, it can have done no more than in this time. */
    private static final long MOST_BETWEEN_RESTS_NANOS = 300_000_000L;

    /** When something happened, in time that the agent had and in what it did. */
    record Moment(long hadNanos, long rests) {}

    /** Bytes that a crash may make unreachable, or doubled, if it comes soon. */
    private record AtRisk(Supplier<byte @Nullable []> content, Moment since) {}

    private final Clock clock;

    /** Counts how often the agent has come to rest, with all done that it had heard of. */
    private final LongSupplier rests;

    private final BitSet mayBeLost = new BitSet();
    private final Map<Integer, Integer> copies = new HashMap<>();

    /** Files that ended with the agent's close: after a crash the ledger may not know of their delivery. */
    private final List<AtRisk> letGo = new ArrayList<>();

    /** Files that were renamed to where no pattern matches. */
    private final List<AtRisk> outside = new ArrayList<>();

    /** Copies that the pattern matches, whose originals were cut. */
    private final List<AtRisk> copiedInside = new ArrayList<>();

    /** Copies that no pattern matches, whose originals were cut. */
    private final List<AtRisk> copiedOutside = new ArrayList<>();

    /** Files that were renamed, and what of them was pinned for sure when the agent died. */
    private final List<AtRisk> rotated = new ArrayList<>();

    private final BitSet pinned = new BitSet();
    private boolean ledgerWasStuck;

    private long restedAtNanos;

    /** How much time the agent had: that in which it did not run, or was held up, is none in which it could remember. */
    private long hadNanos;

    Excuses(Clock clock, LongSupplier rests) {
        this.clock = clock;
        this.rests = rests;
    }

    Moment now() {
        return new Moment(hadNanos, rests.getAsLong());
    }

    /** The agent has come to rest, with all done that it had heard of. */
    void rested() {
        hadNanos += Math.min(clock.nanos() - restedAtNanos, MOST_BETWEEN_RESTS_NANOS);
        restedAtNanos = clock.nanos();
    }

    /** How often the agent has come to rest since. */
    long restsSince(Moment moment) {
        return rests.getAsLong() - moment.rests;
    }

    boolean mayBeLost(int id) {
        return mayBeLost.get(id);
    }

    /** How often a line may arrive: once, and once more for each copy that counts as a file of its own. */
    int mostOf(int id) {
        return 1 + copies.getOrDefault(id, 0);
    }

    /** These bytes are gone: the lines that begin or end in them may have been read in time, or not. */
    void destroyed(byte[] bytes) {
        mayBeLost.or(idsIn(bytes));
    }

    /** These lines are in one file more. */
    void copied(byte[] bytes) {
        idsIn(bytes).stream().forEach(id -> copies.merge(id, 1, Integer::sum));
    }

    /** The agent closed a file that has no name any more: with it go its bytes. */
    void letGo(byte[] content) {
        letGo.add(new AtRisk(() -> content, now()));
    }

    void movedOutside(Supplier<byte @Nullable []> content, Moment begun) {
        outside.add(new AtRisk(content, begun));
    }

    /** The file is not live any more: from soon on its deletion loses nothing. */
    void rotated(Supplier<byte @Nullable []> content) {
        rotated.add(new AtRisk(content, now()));
    }

    /** While the agent was dead, a file ceased to exist. */
    void deletedMeanwhile(byte[] content) {
        BitSet lost = idsIn(content);
        lost.andNot(pinned);
        mayBeLost.or(lost);
    }

    void copyEndedInside(byte[] content) {
        copiedInside.add(new AtRisk(() -> content, now()));
    }

    void copyEndedOutside(byte[] content) {
        copiedOutside.add(new AtRisk(() -> content, now()));
    }

    /** The ledger could not be written for a while: what the agent did meanwhile is not remembered after a crash. */
    void ledgerIsStuck() {
        ledgerWasStuck = true;
    }

    /** The agent was not there for a while: what it knew only in memory is gone. */
    void agentDied() {
        agentHurries();
        pinned.clear();
        for (AtRisk risk : rotated) {
            byte[] content = risk.content.get();
            if (content != null && !mayBeUnknown(risk)) {
                pinned.or(idsIn(Lines.whole(content)));
            }
        }
        for (AtRisk risk : List.copyOf(outside)) {
            byte[] content = risk.content.get();
            if (content != null && mayBeUnknown(risk)) {
                destroyed(content);
            }
        }
        letGo.stream().filter(this::mayBeUnknown).forEach(risk -> destroyedNow(risk));
        letGo.clear();
        for (AtRisk risk : copiedOutside) {
            byte[] content = risk.content.get();
            if (content != null && mayBeUnknown(risk)) {
                destroyed(content);
                copied(content); // what an append file has and the ledger does not know goes under the copy's name
                // again
            }
        }
        copiedOutside.clear();
    }

    /** The agent takes everything as it is now, be it a copy or not. */
    void agentHurries() {
        for (AtRisk risk : copiedInside) {
            byte[] content = risk.content.get();
            if (content != null && mayBeUnknown(risk)) {
                copied(content);
            }
        }
        copiedInside.clear();
    }

    private void destroyedNow(AtRisk risk) {
        byte[] content = risk.content.get();
        if (content != null) {
            destroyed(content);
        }
    }

    /** Whether the ledger may not know yet what the agent saw then. */
    boolean mayBeUnknown(Moment moment) {
        return ledgerWasStuck || hadNanos - moment.hadNanos < LEDGER_NANOS || restsSince(moment) < LEDGER_RESTS;
    }

    private boolean mayBeUnknown(AtRisk risk) {
        return mayBeUnknown(risk.since);
    }

    private static BitSet idsIn(byte[] bytes) {
        var ids = new BitSet();
        for (int at = 0; at < bytes.length; at++) {
            int id = Lines.idAt(bytes, at);
            if (id >= 0) {
                ids.set(id);
            }
        }
        return ids;
    }
}
