package tailrace.core.deliver;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tailrace.core.batch.CriLine;

/** What a container has written as one line, of each of its streams; a record is its content alone. */
final class JoinedCriLines implements Records.Joining {
    private record Begun(long offset, ByteArrayOutputStream content) {}

    private final int maxBytes;
    private final Records.Taker taker;

    /** By the name of the stream. */
    private final Map<String, Begun> begun = new LinkedHashMap<>();

    JoinedCriLines(int maxBytes, Records.Taker taker) {
        this.maxBytes = maxBytes;
        this.taker = taker;
    }

    @Override
    public void take(Slice slice, long offset, byte[] line) throws IOException {
        CriLine parsed = CriLine.of(line, 0, line.length);
        String stream = new String(line, parsed.stream(), parsed.streamLength(), ISO_8859_1);
        int length = line.length - parsed.content();
        Begun before = begun.get(stream);
        if (before != null && before.content.size() + length > maxBytes) {
            end(slice, stream, before);
        }
        Begun now = begun.computeIfAbsent(stream, name -> new Begun(offset, new ByteArrayOutputStream()));
        now.content.write(line, parsed.content(), length);
        if (!parsed.isPartial()) {
            end(slice, stream, now);
        }
    }

    private void end(Slice slice, String stream, Begun record) throws IOException {
        begun.remove(stream);
        byte[] content = record.content.toByteArray();
        int at = 0;
        do {
            int to = Math.min(content.length, at + maxBytes);
            taker.take(slice, record.offset, Arrays.copyOfRange(content, at, to));
            at = to;
        } while (at < content.length);
    }

    @Override
    public void end(Slice slice) throws IOException {
        for (Map.Entry<String, Begun> left : List.copyOf(begun.entrySet())) { // in the order in which they began
            end(slice, left.getKey(), left.getValue());
        }
    }
}
