package tailrace.core.deliver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import tailrace.core.watch.Framing;

/** Lines that belong together are one record, with LF between them. */
final class JoinedLines implements Piece.Joining {
    private final Slice slice;
    private final Framing.Multiline framing;
    private final int maxBytes;
    private final Piece.Taker taker;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final ByteArrayOutputStream raw = new ByteArrayOutputStream();
    private long offset = -1;
    private long fileBytes;
    private int part;

    JoinedLines(Slice slice, Framing.Multiline framing, int maxBytes, Piece.Taker taker) {
        this.slice = slice;
        this.framing = framing;
        this.maxBytes = maxBytes;
        this.taker = taker;
    }

    @Override
    public void take(Piece line) throws IOException, DeliveryException, SourceChangedException {
        boolean begins = line.part() == 0 && framing.isBegun(line.content(), 0, line.content().length);
        boolean isFull = offset >= 0 && content.size() + 1 + line.content().length > maxBytes;
        if (begins) {
            end();
        } else if (isFull) {
            handOver(false);
        }
        if (offset < 0) {
            offset = line.offset();
        } else if (line.part() == 0) {
            content.write('\n');
        }
        content.writeBytes(line.content());
        raw.writeBytes(line.raw());
        fileBytes += line.fileBytes();
    }

    private void handOver(boolean isAll) throws IOException, DeliveryException, SourceChangedException {
        taker.take(Piece.of(slice, offset, part, isAll, content.toByteArray(), fileBytes, raw.toByteArray()));
        content.reset();
        raw.reset();
        offset = -1;
        fileBytes = 0;
        part++;
    }

    @Override
    public void end() throws IOException, DeliveryException, SourceChangedException {
        if (offset >= 0) {
            handOver(true);
        }
        part = 0;
    }
}
