package tailrace.core.batch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import tailrace.core.track.Route;
import tailrace.linux.LinuxPath;

/**
 * How batches of a route are made.
 *
 * @param root what {@code {path}} in the key is relative to
 * @param codec what compresses files that are not compressed already
 * @param rules what records are, and what is done with them
 * @param batchBytes a batch is sealed at this size; a record longer than it is split
 * @param batchAgeMillis or when its oldest byte has waited so long
 * @param flushPartialMillis an unfinished last line that does not grow is sent after this
 * @param lanes how many batches travel side by side, each in a lane of its own; 0 if the key alone decides
 * @param ordered whether a batch must not overtake an earlier one of the same partition
 * @param maxOutstanding how many batches may be sealed and not delivered: the rest of a backlog stays a number
 */
public record RoutePlan(
        Route route,
        LinuxPath root,
        KeyTemplate key,
        Codec codec,
        RecordRules rules,
        long batchBytes,
        long batchAgeMillis,
        long flushPartialMillis,
        int lanes,
        boolean ordered,
        int maxOutstanding) {

    /**
     * Which files may share a batch with this one. Of an ordered route all that has one order is one partition; of others
     * what has one codec and one set of rules.
     */
    String partitionOf(LinuxPath file) {
        String name = lanes > 0
                ? "lane-" + Math.floorMod(file.hashCode(), lanes)
                : unmarked(new String(key.partition(below(file)).bytes(), ISO_8859_1));
        LinuxPath fileName = file.fileName();
        return ordered
                ? name
                : codec.forFile(fileName).mark(rules.forFile(fileName).mark(name));
    }

    /** What a batch of a partition remembers. */
    String sealed(String partition) {
        return ordered ? rules.mark(partition) : partition;
    }

    /** The partition of a batch, which may have been sealed under other rules. */
    String partitionOf(Batch batch) {
        return ordered ? batch.lane() : batch.partition();
    }

    /** File names may begin with anything, and those who name files must not say how they are compressed. */
    private static String unmarked(String partition) {
        return !partition.isEmpty() && partition.charAt(0) < ' ' ? "./" + partition : partition;
    }

    LinuxPath keyOf(LinuxPath file, String host, KeyTemplate.Seal seal) {
        LinuxPath rendered = key.render(below(file), route.source().name(), host, seal);
        String extension = codec.forFile(file.fileName()).format().extension();
        return LinuxPath.ofBytes(ByteBuffer.allocate(rendered.bytes().length + extension.length())
                .put(rendered.bytes())
                .put(extension.getBytes(ISO_8859_1))
                .array());
    }

    private LinuxPath below(LinuxPath file) {
        return file.startsWith(root) ? file.relativeTo(root) : file.relativeTo(LinuxPath.of("/"));
    }
}
