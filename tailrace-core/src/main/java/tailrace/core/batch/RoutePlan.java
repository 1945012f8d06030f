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
        long batchBytes,
        long batchAgeMillis,
        long flushPartialMillis,
        int lanes,
        boolean ordered,
        int maxOutstanding) {

    /** Which files may share a batch with this one. */
    String partitionOf(LinuxPath file) {
        if (lanes > 0) {
            return "lane-" + Math.floorMod(file.hashCode(), lanes);
        }
        byte[] bytes = key.partition(below(file)).bytes();
        return codec.forFile(file.fileName()).mark(new String(bytes, ISO_8859_1));
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
