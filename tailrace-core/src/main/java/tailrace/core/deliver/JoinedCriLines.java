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
final class JoinedCriLines implements Piece.Joining {
    /** A record of which not all has come. */
    private static final class Begun {
        final String time;
        final String stream;
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        final ByteArrayOutputStream raw = new ByteArrayOutputStream();
        long offset;
        long fileBytes;
        int part;

        Begun(long offset, String time, String stream) {
            this.offset = offset;
            this.time = time;
            this.stream = stream;
        }
    }

    private final Slice slice;
    private final int maxBytes;
    private final Piece.Taker taker;

    /** By the name of the stream, in the order in which they began. */
    private final Map<String, Begun> begun = new LinkedHashMap<>();

    /** The line that goes on with the next piece, if that is no beginning of one. */
    private String longStream = "";

    private boolean longIsPartial;

    JoinedCriLines(Slice slice, int maxBytes, Piece.Taker taker) {
        this.slice = slice;
        this.maxBytes = maxBytes;
        this.taker = taker;
    }

    @Override
    public void take(Piece line) throws IOException, DeliveryException, SourceChangedException {
        byte[] bytes = line.content();
        int content = 0;
        String time = "";
        if (line.part() == 0) {
            CriLine parsed = CriLine.of(bytes, 0, bytes.length);
            longStream = new String(bytes, parsed.stream(), parsed.streamLength(), ISO_8859_1);
            longIsPartial = parsed.isPartial();
            content = parsed.content();
            time = parsed.streamLength() > 0 ? new String(bytes, 0, parsed.stream() - 1, ISO_8859_1) : "";
        }
        Begun before = begun.get(longStream);
        if (before != null && before.content.size() + bytes.length - content > maxBytes) {
            handOver(before, false);
            before.offset = line.offset();
        }
        String since = time;
        Begun now = begun.computeIfAbsent(longStream, stream -> new Begun(line.offset(), since, stream));
        now.content.write(bytes, content, bytes.length - content);
        now.raw.writeBytes(line.raw());
        now.fileBytes += line.fileBytes();
        if (line.isAll() && !longIsPartial) {
            end(now);
        }
    }

    private void end(Begun left) throws IOException, DeliveryException, SourceChangedException {
        begun.remove(left.stream);
        handOver(left, true);
    }

    /** In parts, if it has more than a record may: the prefix of its line left room for some. */
    private void handOver(Begun record, boolean isAll) throws IOException, DeliveryException, SourceChangedException {
        byte[] content = record.content.toByteArray();
        int first = Math.min(content.length, maxBytes);
        boolean isWhole = first == content.length;
        int others = content.length - first;
        take(
                record,
                isAll && isWhole,
                Arrays.copyOf(content, first),
                record.fileBytes - others,
                record.raw.toByteArray());
        for (int at = first; at < content.length; at += maxBytes) {
            int to = Math.min(content.length, at + maxBytes);
            take(record, isAll && to == content.length, Arrays.copyOfRange(content, at, to), to - at, new byte[0]);
        }
        record.content.reset();
        record.raw.reset();
        record.fileBytes = 0;
    }

    private void take(Begun record, boolean isAll, byte[] content, long fileBytes, byte[] raw)
            throws IOException, DeliveryException, SourceChangedException {
        taker.take(new Piece(
                slice, record.offset, record.part, isAll, content, fileBytes, raw, record.time, record.stream));
        record.part++;
    }

    @Override
    public void end() throws IOException, DeliveryException, SourceChangedException {
        for (Begun left : List.copyOf(begun.values())) {
            end(left);
        }
    }
}
