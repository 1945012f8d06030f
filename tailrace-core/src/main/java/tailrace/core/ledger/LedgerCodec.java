package tailrace.core.ledger;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import tailrace.core.batch.Extent;
import tailrace.core.ledger.LedgerRecord.Abandoned;
import tailrace.core.ledger.LedgerRecord.Closed;
import tailrace.core.ledger.LedgerRecord.CommitStarted;
import tailrace.core.ledger.LedgerRecord.CopyOf;
import tailrace.core.ledger.LedgerRecord.Delivered;
import tailrace.core.ledger.LedgerRecord.FileForgotten;
import tailrace.core.ledger.LedgerRecord.FileState;
import tailrace.core.ledger.LedgerRecord.Grown;
import tailrace.core.ledger.LedgerRecord.Identified;
import tailrace.core.ledger.LedgerRecord.KeyLength;
import tailrace.core.ledger.LedgerRecord.Lost;
import tailrace.core.ledger.LedgerRecord.Origin;
import tailrace.core.ledger.LedgerRecord.Reopened;
import tailrace.core.ledger.LedgerRecord.RouteState;
import tailrace.core.ledger.LedgerRecord.RunStarted;
import tailrace.core.ledger.LedgerRecord.Sealed;
import tailrace.core.ledger.LedgerRecord.SnapshotEnd;
import tailrace.core.track.FileIdentity;
import tailrace.core.track.Inheritance;
import tailrace.core.track.LossReason;
import tailrace.core.track.Range;
import tailrace.core.track.Withheld;
import tailrace.linux.FileHandle;
import tailrace.linux.LinuxPath;

/**
 * Records as bytes: a type byte, then the components in order, big-endian; texts and byte strings with a length before
 * them. Format version {@link Journal#VERSION}; tests pin the bytes, also of those
 * before it.
 */
final class LedgerCodec {
    /** No list or text in a record is longer: a greater length means that the bytes are none of ours. */
    private static final int MAX_COUNT = 1 << 20;

    /** The first byte of a {@link CommitStarted}, which is all of it. */
    static final byte COMMIT_STARTED = 14;

    private LedgerCodec() {}

    static void write(LedgerRecord ledgerRecord, DataOutputStream out) throws IOException {
        switch (ledgerRecord) {
            case RunStarted(int run, Instant at, String host) -> {
                out.writeByte(1);
                out.writeInt(run);
                instant(out, at);
                out.writeUTF(host);
            }
            case FileState state -> {
                out.writeByte(2);
                fileState(out, state);
            }
            case Grown(int file, long seen) -> {
                out.writeByte(3);
                out.writeInt(file);
                out.writeLong(seen);
            }
            case FileForgotten(int file) -> {
                out.writeByte(4);
                out.writeInt(file);
            }
            case Closed closed -> {
                out.writeByte(5);
                closed(out, closed);
            }
            case Sealed sealed -> {
                out.writeByte(6);
                sealed(out, sealed);
            }
            case Reopened(Sealed batch) -> {
                out.writeByte(7);
                sealed(out, batch);
            }
            case Delivered delivered -> {
                out.writeByte(8);
                delivered(out, delivered);
            }
            case Abandoned(int run, long sequence) -> {
                out.writeByte(9);
                out.writeInt(run);
                out.writeLong(sequence);
            }
            case KeyLength length -> {
                out.writeByte(10);
                keyLength(out, length);
            }
            case Lost lost -> {
                out.writeByte(11);
                lost(out, lost);
            }
            case SnapshotEnd(long records) -> {
                out.writeByte(12);
                out.writeLong(records);
            }
            case CommitStarted() -> out.writeByte(COMMIT_STARTED);
            case Origin(String machine, FileIdentity file) -> {
                out.writeByte(15);
                out.writeUTF(machine);
                identity(out, file);
            }
            case Identified(int file, FileIdentity identity) -> {
                out.writeByte(16);
                out.writeInt(file);
                identity(out, identity);
            }
            case CopyOf copy -> {
                out.writeByte(13);
                copyOf(out, copy);
            }
        }
    }

    private static void closed(DataOutputStream out, Closed closed) throws IOException {
        out.writeUTF(closed.route());
        out.writeLong(closed.seen());
        out.writeLong(closed.delivered());
        out.writeLong(closed.lost());
        out.writeLong(closed.filtered());
    }

    private static void keyLength(DataOutputStream out, KeyLength length) throws IOException {
        out.writeUTF(length.route());
        bytes(out, length.key().bytes());
        out.writeLong(length.lengthBytes());
    }

    private static void copyOf(DataOutputStream out, CopyOf copy) throws IOException {
        out.writeInt(copy.file());
        out.writeInt(copy.inheritance().original());
        out.writeInt(copy.inheritance().epoch());
        out.writeLong(copy.inheritance().sizeBytes());
    }

    private static void delivered(DataOutputStream out, Delivered delivered) throws IOException {
        out.writeInt(delivered.run());
        out.writeLong(delivered.sequence());
        out.writeLong(delivered.position());
        out.writeLong(delivered.lengthBytes());
        out.writeBoolean(delivered.crc32c().isPresent());
        out.writeInt(delivered.crc32c().orElse(0));
        out.writeInt(delivered.withheld().size());
        for (Withheld withheld : delivered.withheld()) {
            out.writeLong(withheld.filteredBytes());
            out.writeLong(withheld.truncatedBytes());
        }
    }

    private static void lost(DataOutputStream out, Lost lost) throws IOException {
        out.writeInt(lost.file());
        out.writeUTF(lost.route());
        out.writeInt(lost.epoch());
        range(out, lost.range());
        out.writeUTF(lost.reason().name());
    }

    private static void fileState(DataOutputStream out, FileState state) throws IOException {
        out.writeInt(state.file());
        identity(out, state.identity());
        bytes(out, state.firstPath().bytes());
        out.writeInt(state.epoch());
        out.writeLong(state.seen());
        out.writeLong(state.seenBefore());
        out.writeInt(state.routes().size());
        for (RouteState route : state.routes()) {
            out.writeUTF(route.route());
            out.writeLong(route.elsewhereBytes());
            out.writeLong(route.sealed());
            out.writeInt(route.guard());
            out.writeLong(route.deliveredBytes());
            out.writeLong(route.lostBytes());
            out.writeLong(route.filteredBytes());
            out.writeInt(route.returned().size());
            for (Range range : route.returned()) {
                range(out, range);
            }
        }
    }

    private static void identity(DataOutputStream out, FileIdentity identity) throws IOException {
        out.writeUTF(identity.filesystem());
        out.writeInt(identity.handle().type());
        bytes(out, identity.handle().bytes());
    }

    private static void sealed(DataOutputStream out, Sealed sealed) throws IOException {
        out.writeInt(sealed.run());
        out.writeLong(sealed.sequence());
        out.writeUTF(sealed.route());
        out.writeUTF(sealed.partition());
        bytes(out, sealed.key().bytes());
        instant(out, sealed.sealedAt());
        out.writeInt(sealed.extents().size());
        for (Extent extent : sealed.extents()) {
            out.writeInt(extent.file());
            out.writeInt(extent.epoch());
            out.writeLong(extent.from());
            out.writeLong(extent.to());
            out.writeLong(extent.headBytes());
            out.writeInt(extent.guardBefore());
            out.writeInt(extent.guard());
        }
    }

    private static void instant(DataOutputStream out, Instant at) throws IOException {
        out.writeLong(at.getEpochSecond());
        out.writeInt(at.getNano());
    }

    private static void range(DataOutputStream out, Range range) throws IOException {
        out.writeLong(range.from());
        out.writeLong(range.to());
    }

    private static void bytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    /**
     * Reads a record.
     *
     * @param version of the ledger's format: the first knew of no lengths before records, and of nothing filtered out
     * @param known what is known of the files and batches that the record refers to
     */
    static LedgerRecord read(byte[] frame, int version, LedgerState known) throws IOException {
        boolean isFirst = version == 1;
        var in = new DataInputStream(new ByteArrayInputStream(frame));
        LedgerRecord read = switch (in.readByte()) {
            case 1 -> new RunStarted(in.readInt(), instant(in), in.readUTF());
            case 2 -> fileState(in, isFirst);
            case 3 -> new Grown(in.readInt(), in.readLong());
            case 4 -> new FileForgotten(in.readInt());
            case 5 ->
                new Closed(in.readUTF(), in.readLong(), in.readLong(), in.readLong(), isFirst ? 0 : in.readLong());
            case 6 -> sealed(in, isFirst, known);
            case 7 -> new Reopened(sealed(in, isFirst, known));
            case 8 -> delivered(in, isFirst, known);
            case 9 -> new Abandoned(in.readInt(), in.readLong());
            case 10 -> new KeyLength(in.readUTF(), path(in), in.readLong());
            case 11 -> new Lost(in.readInt(), in.readUTF(), in.readInt(), range(in), LossReason.valueOf(in.readUTF()));
            case 12 -> new SnapshotEnd(in.readLong());
            case 13 -> new CopyOf(in.readInt(), new Inheritance(in.readInt(), in.readInt(), in.readLong()));
            case COMMIT_STARTED -> new CommitStarted();
            case 15 -> new Origin(in.readUTF(), identity(in));
            case 16 -> new Identified(in.readInt(), identity(in));
            default -> throw new IOException("a record of unknown type " + frame[0]);
        };
        if (in.available() > 0) {
            throw new IOException("a record of type " + frame[0] + " is longer than it should be");
        }
        return read;
    }

    private static FileState fileState(DataInputStream in, boolean isFirst) throws IOException {
        int file = in.readInt();
        FileIdentity identity = identity(in);
        LinuxPath path = path(in);
        int epoch = in.readInt();
        long seen = in.readLong();
        long seenBefore = in.readLong();
        var routes = new ArrayList<RouteState>();
        for (int i = count(in); i > 0; i--) {
            routes.add(new RouteState(
                    in.readUTF(),
                    in.readLong(),
                    in.readLong(),
                    in.readInt(),
                    in.readLong(),
                    in.readLong(),
                    isFirst ? 0 : in.readLong(),
                    ranges(in)));
        }
        return new FileState(file, identity, path, epoch, seen, seenBefore, routes);
    }

    private static FileIdentity identity(DataInputStream in) throws IOException {
        return new FileIdentity(in.readUTF(), new FileHandle(in.readInt(), bytes(in)));
    }

    private static List<Range> ranges(DataInputStream in) throws IOException {
        var ranges = new ArrayList<Range>();
        for (int i = count(in); i > 0; i--) {
            ranges.add(range(in));
        }
        return ranges;
    }

    private static Sealed sealed(DataInputStream in, boolean isFirst, LedgerState files) throws IOException {
        int run = in.readInt();
        long sequence = in.readLong();
        String route = in.readUTF();
        String partition = in.readUTF();
        LinuxPath key = path(in);
        Instant sealedAt = instant(in);
        var extents = new ArrayList<Extent>();
        for (int i = count(in); i > 0; i--) {
            int number = in.readInt();
            FileState file = files.file(number);
            extents.add(new Extent(
                    number,
                    file.identity(),
                    file.firstPath(),
                    in.readInt(),
                    in.readLong(),
                    in.readLong(),
                    isFirst ? 0 : in.readLong(),
                    in.readInt(),
                    in.readInt()));
        }
        return new Sealed(run, sequence, route, partition, key, sealedAt, extents);
    }

    private static Delivered delivered(DataInputStream in, boolean isFirst, LedgerState batches) throws IOException {
        int run = in.readInt();
        long sequence = in.readLong();
        long position = in.readLong();
        if (isFirst) {
            return new Delivered(
                    run, sequence, position, batches.sealedBytes(run, sequence), optionalInt(in), List.of());
        }
        return new Delivered(run, sequence, position, in.readLong(), optionalInt(in), withheld(in));
    }

    private static List<Withheld> withheld(DataInputStream in) throws IOException {
        var withheld = new ArrayList<Withheld>();
        for (int i = count(in); i > 0; i--) {
            withheld.add(new Withheld(in.readLong(), in.readLong()));
        }
        return withheld;
    }

    private static OptionalInt optionalInt(DataInputStream in) throws IOException {
        boolean present = in.readBoolean();
        int value = in.readInt();
        return present ? OptionalInt.of(value) : OptionalInt.empty();
    }

    private static Instant instant(DataInputStream in) throws IOException {
        return Instant.ofEpochSecond(in.readLong(), in.readInt());
    }

    private static Range range(DataInputStream in) throws IOException {
        return new Range(in.readLong(), in.readLong());
    }

    private static LinuxPath path(DataInputStream in) throws IOException {
        return LinuxPath.ofBytes(bytes(in));
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
        return in.readNBytes(count(in));
    }

    private static int count(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > MAX_COUNT) {
            throw new IOException("an impossible length of " + count);
        }
        return count;
    }
}
