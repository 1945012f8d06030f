package tailrace.core.track;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;

/**
 * Recognises the copy that a copytruncate rotation makes, so that bytes which were not read before the truncation are
 * read from the copy, and those which were delivered are not delivered again under its name.
 *
 * <p>A copy shows itself before the truncation: a new file whose first bytes, and the last ones it has so far, are those
 * of an older file at the same place. Files shorter than {@link #HEAD_BYTES} are never taken for copies.
 */
final class Lineage {
    static final int HEAD_BYTES = 32;

    /** Older files compared with a new one at most; those that share a head are looked at latest first. */
    private static final int MAX_COMPARED = 64;

    private final FileCalls files;
    private final AlignedBuffer buffer;
    private final Map<Integer, List<TrackedFile>> byHead = new HashMap<>();

    Lineage(FileCalls files, AlignedBuffer buffer) {
        this.files = files;
        this.buffer = buffer;
    }

    /** Remembers the file's first bytes, once it has enough of them. */
    void learn(TrackedFile file) throws LinuxException {
        Fd fd = file.fd;
        if (file.headCrc == 0 && file.seen() >= HEAD_BYTES && fd != null) {
            file.headCrc = Guard.crc(files, fd, 0, HEAD_BYTES, buffer);
            byHead.computeIfAbsent(file.headCrc, head -> new ArrayList<>()).add(file);
        }
    }

    /** Whether the first bytes are those that were learnt, if they were. */
    private boolean hasItsHead(TrackedFile file, Fd fd) throws LinuxException {
        return file.headCrc == 0 || Guard.crc(files, fd, 0, HEAD_BYTES, buffer) == file.headCrc;
    }

    /** Call before the file's head changes. */
    void forget(TrackedFile file) {
        byHead.computeIfPresent(file.headCrc, (head, list) -> {
            list.remove(file);
            return list.isEmpty() ? null : list;
        });
    }

    /** Notes of a new file whose copy it is, and returns it, as far as one can tell while the original is still whole. */
    @Nullable
    TrackedFile recognise(TrackedFile young) throws LinuxException {
        Fd copy = young.fd;
        if (copy == null || young.headCrc == 0) {
            return young.copyOf;
        }
        for (TrackedFile older : sharers(young)) {
            Fd original = older.fd;
            if (original == null || older.number() >= young.number()) {
                continue;
            }
            boolean isCopy = sizeOf(original) >= young.seen() && isSame(original, copy, young.seen());
            if (isCopy || (isCut(older) && isCopy(older, young, copy))) {
                young.copyOf = older;
                young.copiedEpoch = older.epoch();
                return older;
            }
        }
        young.copyOf = null;
        return null;
    }

    /** After a restart nobody knows the head of a file that was cut meanwhile: then what was sealed must be enough. */
    private boolean hasHeadOf(TrackedFile truncated, Fd candidate) throws LinuxException {
        return truncated.headCrc == 0
                ? truncated.sealedMost() >= HEAD_BYTES
                : Guard.crc(files, candidate, 0, HEAD_BYTES, buffer) == truncated.headCrc;
    }

    private boolean isSame(Fd original, Fd copy, long size) throws LinuxException {
        return Guard.at(files, original, size, buffer) == Guard.at(files, copy, size, buffer);
    }

    /** Whether the file has just begun anew, which is what a copy is made for. */
    boolean isCut(TrackedFile file) throws LinuxException {
        Fd fd = file.fd;
        return fd != null && (sizeOf(fd) < file.seen() || !guardHolds(file, fd));
    }

    /** Whether the bytes before what was sealed, or the first ones if nothing was, are what they were. */
    boolean guardHolds(TrackedFile file, Fd fd) throws LinuxException {
        for (Progress p : file.allProgress()) {
            if (p != null && p.sealed() > 0 && Guard.at(files, fd, p.sealed(), buffer) != p.guard()) {
                return false;
            }
        }
        return file.sealedMost() > 0 || hasItsHead(file, fd);
    }

    /**
     * Whether another file is the copy of one that has just been truncated, whose head and progress are still those from
     * before. The original may have grown after it was copied: then it is a copy if it was recognised before, or has all
     * that was sealed.
     */
    boolean isCopy(TrackedFile truncated, @Nullable TrackedFile known, Fd candidate) throws LinuxException {
        if (known != null && truncated.equals(known.copyOf) && known.copiedEpoch == truncated.epoch()) {
            return true;
        }
        if (sizeOf(candidate) < truncated.leastOfCopy() || !hasHeadOf(truncated, candidate)) {
            return false;
        }
        for (@Nullable Progress p : truncated.allProgress()) {
            if (p != null && Guard.at(files, candidate, p.sealed(), buffer) != p.guard()) {
                return false;
            }
        }
        return true;
    }

    long sizeOf(Fd copy) throws LinuxException {
        return files.status(copy).sizeBytes();
    }

    /** Guard at the end of a copy. */
    int guardAt(Fd copy, long size) throws LinuxException {
        return Guard.at(files, copy, size, buffer);
    }

    private List<TrackedFile> sharers(TrackedFile young) {
        List<TrackedFile> all = byHead.getOrDefault(young.headCrc, List.of());
        return all.subList(Math.max(0, all.size() - MAX_COMPARED), all.size()).reversed();
    }
}
