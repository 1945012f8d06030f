package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * Writes fields of a protobuf message, in the order in which they are given.
 *
 * @see <a href="https://protobuf.dev/programming-guides/encoding/">Encoding</a>
 */
final class Protobuf {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int DELIMITED = 2;
    private static final int FIXED32 = 5;

    private byte[] bytes = new byte[256];
    private int length;

    void clear() {
        length = 0;
    }

    int length() {
        return length;
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }

    private void raw(long value) {
        room(10);
        long left = value;
        while ((left & ~0x7FL) != 0) {
            bytes[length++] = (byte) ((left & 0x7F) | 0x80);
            left >>>= 7;
        }
        bytes[length++] = (byte) left;
    }

    void varint(int field, long value) {
        raw((field << 3) | VARINT);
        raw(value);
    }

    void fixed64(int field, long value) {
        raw((field << 3) | FIXED64);
        room(Long.BYTES);
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[length++] = (byte) (value >>> (8 * i));
        }
    }

    void bytes(int field, byte[] value) {
        delimited(field, value, value.length);
    }

    void message(int field, Protobuf value) {
        delimited(field, value.bytes, value.length);
    }

    private void delimited(int field, byte[] value, int valueLength) {
        raw((field << 3) | DELIMITED);
        raw(valueLength);
        room(valueLength);
        System.arraycopy(value, 0, bytes, length, valueLength);
        length += valueLength;
    }

    /** The fields of another message, behind those that are here. */
    void append(Protobuf other) {
        room(other.length);
        System.arraycopy(other.bytes, 0, bytes, length, other.length);
        length += other.length;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(bytes, length);
    }

    /** Finds fields of a message; the last of a number counts. What is torn, or no protobuf, has none. */
    static final class Reader {
        private final byte[] bytes;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        /** 0 if it is not there, as protobuf has it. */
        long varint(int field) {
            return find(field, VARINT).number;
        }

        String text(int field) {
            return new String(find(field, DELIMITED).content, UTF_8);
        }

        Reader message(int field) {
            return new Reader(find(field, DELIMITED).content);
        }

        private record Found(long number, byte[] content) {
            static final Found NOTHING = new Found(0, new byte[0]);
        }

        private Found find(int wanted, int wantedType) {
            Found found = Found.NOTHING;
            var at = new int[1];
            while (at[0] < bytes.length) {
                long tag = varintAt(at);
                int type = (int) (tag & 7);
                long number = type == VARINT || type == DELIMITED ? varintAt(at) : 0;
                long size = switch (type) {
                    case VARINT -> 0;
                    case FIXED64 -> Long.BYTES;
                    case DELIMITED -> number;
                    case FIXED32 -> Integer.BYTES;
                    default -> -1;
                };
                if (size < 0 || size > bytes.length - at[0]) {
                    return Found.NOTHING;
                }
                int end = at[0] + (int) size;
                if (tag >>> 3 == wanted && type == wantedType) {
                    found = new Found(number, Arrays.copyOfRange(bytes, at[0], end));
                }
                at[0] = end;
            }
            return found;
        }

        private long varintAt(int[] at) {
            long value = 0;
            int shift = 0;
            while (at[0] < bytes.length && shift < Long.SIZE) {
                byte b = bytes[at[0]++];
                value |= (b & 0x7FL) << shift;
                if (b >= 0) {
                    return value;
                }
                shift += 7;
            }
            return -1;
        }
    }
}
