package tailrace.core.batch;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tailrace.linux.LinuxPath;

/**
 * How the place of a batch in a sink is named, like {@code {source}/{yyyy}/{MM}/{dd}/{host}-{batch}{ext}}. Times are
 * those of the seal, in UTC. Variables of the file part batches: files with different values never share one.
 */
public final class KeyTemplate {
    private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]*)}");
    private static final Pattern EXTENSION = Pattern.compile("\\.[A-Za-z][A-Za-z0-9]{0,7}$");

    /** A numbered or dated part that rotation puts behind the extension: {@code app.log.1}. */
    private static final Pattern ROTATION = Pattern.compile("[.-][0-9][0-9TZ_.:-]*$");

    /** Of an offset: up to ten terabytes sort. */
    private static final int OFFSET_DIGITS = 13;

    /** What can stand between braces. */
    public enum Variable {
        SOURCE("source", "name of the source"),
        HOST("host", "name of this host"),
        PATH("path", "path of the file below the folder that all includes of its source share"),
        FILE("file", "name of the file"),
        DIR("dir", "the path without the name of the file"),
        STEM("stem", "name of the file without its extension"),
        EXT("ext", "extension of the file with its dot, without a rotation's number"),
        BATCH("batch", "id of the batch; ids sort in the order of sealing"),
        FROM("from", "where in its first file the batch begins: 13 digits, so that keys sort"),
        TO("to", "where in its last file the batch ends, likewise"),
        YEAR("yyyy", "year"),
        MONTH("MM", "month"),
        DAY("dd", "day"),
        HOUR("HH", "hour"),
        MINUTE("mm", "minute");

        private final String name;
        private final String meaning;

        Variable(String name, String meaning) {
            this.name = name;
            this.meaning = meaning;
        }

        /** As it stands between the braces. */
        public String text() {
            return name;
        }

        public String meaning() {
            return meaning;
        }

        /** Whether it is the same for all batches of a file. */
        public boolean isKnownBeforeTheSeal() {
            return isOfFile() || this == SOURCE || this == HOST;
        }

        boolean isOfFile() {
            return switch (this) {
                case PATH, FILE, DIR, STEM, EXT -> true;
                default -> false;
            };
        }
    }

    /**
     * What is known of a batch when it is sealed.
     *
     * @param from where in its first file it begins
     * @param to where in its last file it ends
     */
    public record Seal(BatchId batch, Instant at, long from, long to) {}

    private sealed interface Part {}

    private record Literal(byte[] text) implements Part {}

    private record Hole(Variable variable) implements Part {}

    private final String text;
    private final List<Part> parts = new ArrayList<>();

    /**
     * Reads a template.
     *
     * @throws IllegalArgumentException with a message for a person
     */
    public KeyTemplate(String text) {
        this.text = text;
        Matcher matcher = VARIABLE.matcher(text);
        int at = 0;
        while (matcher.find()) {
            literal(text.substring(at, matcher.start()));
            parts.add(new Hole(variable(matcher.group(1))));
            at = matcher.end();
        }
        literal(text.substring(at));
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("the key is empty");
        }
        for (String name : text.split("/", -1)) {
            if (name.equals("..") || name.equals(".")) {
                throw new IllegalArgumentException("'" + name + "' is not allowed in a key");
            }
        }
    }

    private void literal(String literal) {
        if (literal.indexOf('{') >= 0 || literal.indexOf('}') >= 0) {
            throw new IllegalArgumentException("a brace is not paired in the key " + text);
        }
        if (!literal.isEmpty()) {
            parts.add(new Literal(literal.getBytes(UTF_8)));
        }
    }

    private static Variable variable(String name) {
        for (Variable variable : Variable.values()) {
            if (variable.name.equals(name)) {
                return variable;
            }
        }
        throw new IllegalArgumentException("{" + name + "} is unknown in a key; known are "
                + Arrays.stream(Variable.values()).map(v -> "{" + v.name + "}").collect(Collectors.joining(" ")));
    }

    public boolean has(Variable variable) {
        return parts.contains(new Hole(variable));
    }

    /** Whether each batch has a value of its own for something in the template. */
    public boolean tellsBatchesApart() {
        return has(Variable.BATCH) || has(Variable.FROM) || has(Variable.TO);
    }

    /** What the template says of the file alone: the same for all files that may share a batch. */
    public LinuxPath partition(LinuxPath pathBelowRoot) {
        return render(variable -> variable.isOfFile() ? ofFile(variable, pathBelowRoot) : new byte[0]);
    }

    /** The key of a batch. */
    public LinuxPath render(LinuxPath pathBelowRoot, String source, String host, Seal seal) {
        ZonedDateTime time = seal.at.atZone(ZoneOffset.UTC);
        return render(variable -> switch (variable) {
            case SOURCE -> source.getBytes(UTF_8);
            case HOST -> host.getBytes(UTF_8);
            case BATCH -> seal.batch.toString().getBytes(UTF_8);
            case FROM -> digits(seal.from, OFFSET_DIGITS);
            case TO -> digits(seal.to, OFFSET_DIGITS);
            case YEAR -> digits(time.getYear(), 4);
            case MONTH -> digits(time.getMonthValue(), 2);
            case DAY -> digits(time.getDayOfMonth(), 2);
            case HOUR -> digits(time.getHour(), 2);
            case MINUTE -> digits(time.getMinute(), 2);
            case PATH, FILE, DIR, STEM, EXT -> ofFile(variable, pathBelowRoot);
        });
    }

    private LinuxPath render(Function<Variable, byte[]> value) {
        var bytes = new ByteArrayOutputStream();
        for (Part part : parts) {
            switch (part) {
                case Literal(byte[] literal) -> bytes.writeBytes(literal);
                case Hole(Variable variable) -> bytes.writeBytes(value.apply(variable));
            }
        }
        return LinuxPath.ofBytes(bytes.toByteArray());
    }

    private static byte[] ofFile(Variable variable, LinuxPath path) {
        byte[] name = path.fileName().bytes();
        int extensionAt = extensionAt(name);
        return switch (variable) {
            case PATH -> path.bytes();
            case FILE -> name;
            case DIR -> path.parent().bytes();
            case STEM -> Arrays.copyOf(name, extensionAt);
            default -> extension(name, extensionAt);
        };
    }

    /** Where the extension begins, which may have a rotation's number behind it. */
    private static int extensionAt(byte[] name) {
        String characters = new String(name, ISO_8859_1);
        Matcher matcher = EXTENSION.matcher(ROTATION.matcher(characters).replaceFirst(""));
        return matcher.find() && matcher.start() > 0 ? matcher.start() : name.length;
    }

    private static byte[] extension(byte[] name, int from) {
        String rest = new String(name, from, name.length - from, ISO_8859_1);
        return ROTATION.matcher(rest).replaceFirst("").getBytes(ISO_8859_1);
    }

    private static byte[] digits(long number, int width) {
        return ("%0" + width + "d").formatted(number).getBytes(UTF_8);
    }

    @Override
    public String toString() {
        return text;
    }
}
