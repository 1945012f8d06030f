package tailrace.core.deliver;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import tailrace.core.watch.Framing;

/** Lines that belong together are one record, with LF between them. */
final class JoinedLines implements Records.Joining {
    private final Framing.Multiline framing;
    private final int maxBytes;
    private final Records.Taker taker;
    private final ByteArrayOutputStream record = new ByteArrayOutputStream();
    private long offset = -1;

    JoinedLines(Framing.Multiline framing, int maxBytes, Records.Taker taker) {
        this.framing = framing;
        this.maxBytes = maxBytes;
        this.taker = taker;
    }

    @Override
    public void take(Slice slice, long lineOffset, byte[] line) throws IOException {
        boolean isFull = offset >= 0 && record.size() + 1 + line.length > maxBytes;
        if (isFull || framing.isBegun(line, 0, line.length)) {
            end(slice);
        }
        if (offset < 0) {
            offset = lineOffset;
        } else {
            record.write('\n');
        }
        record.writeBytes(line);
    }

    @Override
    public void end(Slice slice) throws IOException {
        if (offset >= 0) {
            taker.take(slice, offset, record.toByteArray());
            record.reset();
            offset = -1;
        }
    }
}
