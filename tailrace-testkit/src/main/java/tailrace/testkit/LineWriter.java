package tailrace.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/** Writes numbered lines as a service would: by appending to an open file, which it may change. For one thread. */
public final class LineWriter implements AutoCloseable {
    private final String name;
    private final int lineBytes;
    private FileChannel file;
    private final AtomicLong written = new AtomicLong();

    /** Opens a file, made if it is not there. */
    public LineWriter(String name, int lineBytes, Path path) throws IOException {
        this.name = name;
        this.lineBytes = lineBytes;
        this.file = open(path);
    }

    private static FileChannel open(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }

    /** Writes so many lines, each with a write of its own. */
    public void write(int lines) throws IOException {
        for (int i = 0; i < lines; i++) {
            put(ByteBuffer.wrap(new NumberedLine(name, written.getAndIncrement()).bytes(lineBytes)));
        }
    }

    /** Writes a line in two parts with something between. */
    public void writeInTwo(Between between) throws IOException {
        byte[] line = new NumberedLine(name, written.get()).bytes(lineBytes);
        put(ByteBuffer.wrap(line, 0, line.length / 2));
        between.run();
        put(ByteBuffer.wrap(line, line.length / 2, line.length - line.length / 2));
        written.incrementAndGet();
    }

    /** Something that happens while a line is half written. */
    public interface Between {
        void run() throws IOException;
    }

    private void put(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    /** Goes on in another file. */
    public void reopen(Path path) throws IOException {
        file.close();
        file = open(path);
    }

    /** Cuts the file to nothing and goes on at its start, as copytruncate makes a writer do. */
    public void truncate() throws IOException {
        file.truncate(0);
    }

    public String name() {
        return name;
    }

    /** Lines written so far. Callable from any thread. */
    public long written() {
        return written.get();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
