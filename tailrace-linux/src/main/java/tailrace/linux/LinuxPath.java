package tailrace.linux;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A path as Linux has it: bytes, any but NUL, with {@code /} between names. Unlike {@code java.nio.file.Path} it holds
 * names that are no valid UTF-8, and does not depend on the locale. Immutable; ordered by bytes.
 *
 * @see <a href="https://man7.org/linux/man-pages/man7/path_resolution.7.html">path_resolution(7)</a>
 */
public final class LinuxPath implements Comparable<LinuxPath> {
    private final byte[] bytes;
    private final int hash;

    private LinuxPath(byte[] bytes) {
        this.bytes = bytes;
        this.hash = Arrays.hashCode(bytes);
    }

    /** The path with the UTF-8 bytes of the given text. */
    public static LinuxPath of(String text) {
        return ofBytes(text.getBytes(UTF_8));
    }

    /** The path with exactly these bytes, which are copied. */
    public static LinuxPath ofBytes(byte[] bytes) {
        for (byte b : bytes) {
            if (b == 0) {
                throw new IllegalArgumentException("a path cannot hold a NUL byte");
            }
        }
        return new LinuxPath(bytes.clone());
    }

    /** This directory's entry of that name; with an absolute {@code name}, the name itself. */
    public LinuxPath resolve(LinuxPath name) {
        if (name.isAbsolute() || bytes.length == 0) {
            return name;
        }
        if (name.bytes.length == 0) {
            return this;
        }
        boolean separated = bytes[bytes.length - 1] == '/';
        byte[] joined = Arrays.copyOf(bytes, bytes.length + (separated ? 0 : 1) + name.bytes.length);
        if (!separated) {
            joined[bytes.length] = '/';
        }
        System.arraycopy(name.bytes, 0, joined, joined.length - name.bytes.length, name.bytes.length);
        return new LinuxPath(joined);
    }

    public LinuxPath resolve(String name) {
        return resolve(of(name));
    }

    public boolean isAbsolute() {
        return bytes.length > 0 && bytes[0] == '/';
    }

    /** Everything before the last name: {@code /a} of {@code /a/b}, {@code /} of {@code /a}, empty of {@code a}. */
    public LinuxPath parent() {
        int slash = lastSlash();
        return slash < 0 ? new LinuxPath(new byte[0]) : new LinuxPath(Arrays.copyOf(bytes, Math.max(slash, 1)));
    }

    /** The last name of the path. */
    public LinuxPath fileName() {
        return new LinuxPath(Arrays.copyOfRange(bytes, lastSlash() + 1, bytes.length));
    }

    /** Whether this path is that directory or lies below it. */
    public boolean startsWith(LinuxPath directory) {
        int length = directory.bytes.length;
        if (bytes.length < length || !Arrays.equals(bytes, 0, length, directory.bytes, 0, length)) {
            return false;
        }
        return bytes.length == length || length == 0 || bytes[length] == '/' || directory.bytes[length - 1] == '/';
    }

    /** This path without the leading {@code directory}, which it must start with. */
    public LinuxPath relativeTo(LinuxPath directory) {
        if (!startsWith(directory)) {
            throw new IllegalArgumentException(this + " is not below " + directory);
        }
        int from = directory.bytes.length;
        while (from < bytes.length && bytes[from] == '/') {
            from++;
        }
        return new LinuxPath(Arrays.copyOfRange(bytes, from, bytes.length));
    }

    /** Whether {@link #toString} loses nothing: valid UTF-8 without control characters. */
    public boolean isText() {
        return equals(of(toString()));
    }

    /** A copy of the path's bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    public int lengthBytes() {
        return bytes.length;
    }

    byte[] rawBytes() {
        return bytes;
    }

    private int lastSlash() {
        int i = bytes.length - 1;
        while (i >= 0 && bytes[i] != '/') {
            i--;
        }
        return i;
    }

    @Override
    public int compareTo(LinuxPath other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LinuxPath that && hash == that.hash && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** The path for a person: UTF-8, with control characters and invalid bytes as {@code \xNN}. Not reversible. */
    @Override
    public String toString() {
        var text = new StringBuilder(bytes.length);
        var in = ByteBuffer.wrap(bytes);
        var out = CharBuffer.allocate(bytes.length + 1);
        var decoder = UTF_8.newDecoder();
        while (true) {
            CoderResult result = decoder.decode(in, out, true);
            out.flip();
            out.chars().forEach(c -> appendPrintable(text, (char) c));
            out.clear();
            if (!result.isError()) {
                return text.toString();
            }
            for (int i = 0; i < result.length(); i++) {
                appendHex(text, in.get());
            }
            decoder.reset();
        }
    }

    private static void appendPrintable(StringBuilder text, char c) {
        if (Character.isISOControl(c)) {
            appendHex(text, (byte) c);
        } else {
            text.append(c);
        }
    }

    private static void appendHex(StringBuilder text, byte b) {
        text.append("\\x").append(HexFormat.of().toHexDigits(b));
    }
}
