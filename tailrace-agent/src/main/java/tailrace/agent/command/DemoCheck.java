package tailrace.agent.command;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;

/** Reads what the demo delivered and counts each click. */
final class DemoCheck {
    private static final String START = "{\"click\":";

    private final BitSet seen = new BitSet();
    private long lines;

    DemoCheck(Path delivered) throws IOException {
        try (var files = Files.walk(delivered)) {
            List<Path> objects = files.filter(Files::isRegularFile)
                    .filter(file -> !delivered.relativize(file).startsWith("_tailrace"))
                    .toList();
            for (Path object : objects) {
                read(object);
            }
        }
    }

    private void read(Path object) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(object), 1 << 17)) {
            int column = 0;
            int number = 0;
            boolean inNumber = false;
            for (int b = in.read(); b >= 0; b = in.read()) {
                if (b == '\n') {
                    column = 0;
                    number = 0;
                    inNumber = false;
                    continue;
                }
                if (column < START.length()) {
                    inNumber = b == START.charAt(column) && (column == 0 || inNumber);
                } else if (inNumber && b == ',') {
                    lines++;
                    seen.set(number);
                    inNumber = false;
                } else if (inNumber) {
                    number = number * 10 + b - '0';
                }
                column++;
            }
        }
    }

    long lost(long written) {
        return written - seen.get(0, Math.toIntExact(written)).cardinality();
    }

    long duplicated() {
        return lines - seen.cardinality();
    }

    long delivered() {
        return lines;
    }
}
