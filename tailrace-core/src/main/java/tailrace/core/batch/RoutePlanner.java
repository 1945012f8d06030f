package tailrace.core.batch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import tailrace.core.track.EphemeralDisks;
import tailrace.core.track.Guard;
import tailrace.core.track.Inheritance;
import tailrace.core.track.Progress;
import tailrace.core.track.Range;
import tailrace.core.track.TrackedFile;
import tailrace.core.track.Tracker;
import tailrace.core.track.Urgency;
import tailrace.core.watch.Framing;
import tailrace.core.watch.Source;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/** Makes the batches of one route. */
final class RoutePlanner {
    /** Small files in one batch: each needs a descriptor while it is delivered. */
    private static final int MAX_EXTENTS = 1024;

    /** How soon to look again at a file that may be a copy. */
    private static final long COPY_CHECK_NANOS = 1_000_000_000L;

    /** The same of a file that somebody still has open for writing. */
    private static final long WRITERS_CHECK_NANOS = 500_000_000L;

    /** In haste a batch is sealed at this size: what is cut off by the end of the instance is not much, */
    private static final long HASTY_BATCH_BYTES = 4L << 20;

    /** or when its oldest byte has waited so long, */
    private static final long HASTY_AGE_MILLIS = 200;

    /** and so many times as many as else may be under way. */
    private static final int HASTY_MORE = 2;

    private static final long MILLI_NANOS = 1_000_000L;

    private final RoutePlan plan;
    private final String host;
    private final Tracker tracker;
    private final FileCalls files;
    private final AlignedBuffer buffer;
    private final RecordEnds recordEnds;

    /** A file is sealed in one piece, however long, when nobody writes to it any more. */
    private final boolean wholeFiles;

    private final Supplier<BatchId> ids;
    private final Map<String, Partition> partitions = new HashMap<>();

    /** Those with something to seal and not busy. */
    private final NavigableSet<Partition> waiting = new TreeSet<>(Partition.ORDER);

    /** Those of {@link #waiting} that have a batch full. */
    private final Set<Partition> full = new LinkedHashSet<>();

    /** Files that end in an unfinished record, or may be copies, or are copies and must not overtake their originals. */
    private final HeldFiles held = new HeldFiles();

    private long partitionsMade;
    private int outstanding;
    private long batchBytes;
    private long batchAgeMillis;
    private int maxOutstanding;
    private Optional<EphemeralDisks> haste = Optional.empty();
    private boolean draining;

    RoutePlanner(
            RoutePlan plan,
            String host,
            Tracker tracker,
            FileCalls files,
            AlignedBuffer buffer,
            Supplier<BatchId> ids) {
        this.plan = plan;
        this.host = host;
        this.tracker = tracker;
        this.files = files;
        this.buffer = buffer;
        Source source = plan.route().source();
        this.recordEnds = new RecordEnds(files, buffer, source.framing(), source.encoding());
        this.wholeFiles = source.framing() instanceof Framing.WholeFile;
        this.ids = ids;
        this.batchBytes = plan.batchBytes();
        this.batchAgeMillis = plan.batchAgeMillis();
        this.maxOutstanding = plan.maxOutstanding();
    }

    void drain() {
        draining = true;
    }

    /** Small batches from now on, and what would be lost first goes first. */
    void hasten(EphemeralDisks disks) {
        haste = Optional.of(disks);
        batchBytes = Math.min(plan.batchBytes(), HASTY_BATCH_BYTES);
        batchAgeMillis = Math.min(plan.batchAgeMillis(), HASTY_AGE_MILLIS);
        maxOutstanding = plan.maxOutstanding() * HASTY_MORE;
        List<Partition> all = List.copyOf(waiting);
        waiting.clear();
        for (Partition partition : all) {
            partition.files.forEach(file -> hurry(partition, disks.urgency(file)));
            waiting.add(partition);
        }
    }

    /** Not while it is in {@link #waiting}. */
    private static void hurry(Partition partition, Urgency urgency) {
        if (urgency.compareTo(partition.urgency) < 0) {
            partition.urgency = urgency;
        }
    }

    /** A batch sealed before a restart is on its way again. */
    void resume(Batch batch) {
        leaves(partition(plan.partitionOf(batch)), batch);
    }

    private void leaves(Partition partition, Batch batch) {
        outstanding++;
        partition.travelling = plan.ordered() ? batch : null;
    }

    /**
     * A file has new bytes, or bytes that came back.
     *
     * @param sinceNanos since when they wait
     */
    void offer(TrackedFile file, long sinceNanos) {
        Progress progress = file.on(plan.route());
        if (progress == null
                || (progress.sealed() >= file.seen() && progress.returned().isEmpty())) {
            return;
        }
        Partition partition = partition(plan.partitionOf(file.firstPath()));
        waiting.remove(partition);
        if (partition.files.isEmpty() || sinceNanos < partition.sinceNanos) {
            partition.sinceNanos = sinceNanos;
        }
        haste.ifPresent(disks -> hurry(partition, disks.urgency(file)));
        held.forget(file);
        partition.files.add(file);
        partition.bytes += progress.offer(file.seen());
        enqueue(partition);
    }

    private Partition partition(String name) {
        return partitions.computeIfAbsent(name, n -> new Partition(n, partitionsMade++));
    }

    private void enqueue(Partition partition) {
        if (partition.isBusy() || partition.files.isEmpty()) {
            return;
        }
        waiting.add(partition);
        if (partition.bytes >= batchBytes) {
            full.add(partition);
        }
    }

    /** A batch was delivered, or given up: its partition may go on. */
    void released(Batch batch) {
        outstanding--;
        Partition partition = partition(plan.partitionOf(batch));
        partition.travelling = null;
        held.release(file -> mayInherit(file, batch));
        if (partition.files.isEmpty()) {
            partitions.remove(partition.name);
        } else {
            enqueue(partition);
        }
    }

    /** Seals what is due, as long as the sink keeps up. */
    void seal(long nowNanos, Instant now, List<Batch> sealed) {
        offerHeld(nowNanos);
        while (outstanding < maxOutstanding && !tracker.isEpochEnding()) {
            Optional<Partition> due = nextDue(nowNanos);
            if (due.isEmpty()) {
                return;
            }
            Partition partition = due.get();
            waiting.remove(partition);
            full.remove(partition);
            List<Extent> extents = gather(partition, batchBytes, nowNanos);
            if (extents.isEmpty() && batchBytes < plan.batchBytes()) {
                extents = gather(partition, plan.batchBytes(), nowNanos); // a record is longer than a hasty batch
            }
            if (!extents.isEmpty()) {
                Batch batch = batch(partition, extents, now);
                sealed.add(batch);
                leaves(partition, batch);
            }
            if (partition.files.isEmpty() && !partition.isBusy()) {
                partitions.remove(partition.name);
            } else {
                enqueue(partition);
            }
        }
    }

    private void offerHeld(long nowNanos) {
        for (TrackedFile file : held.take(draining ? Long.MAX_VALUE : nowNanos)) {
            offer(file, nowNanos - batchAgeMillis * MILLI_NANOS); // it has waited long enough
        }
    }

    private Optional<Partition> nextDue(long nowNanos) {
        if (haste.isPresent()) {
            return waiting.stream()
                    .filter(partition -> draining || full.contains(partition) || dueNanos(partition) <= nowNanos)
                    .findFirst();
        }
        if (!full.isEmpty()) {
            return Optional.of(full.iterator().next());
        }
        if (waiting.isEmpty()) {
            return Optional.empty();
        }
        Partition oldest = waiting.first();
        return draining || dueNanos(oldest) <= nowNanos ? Optional.of(oldest) : Optional.empty();
    }

    private long dueNanos(Partition partition) {
        return partition.sinceNanos + batchAgeMillis * MILLI_NANOS;
    }

    /** Takes extents from the partition's files until a batch is full; files with nothing left leave the partition. */
    private List<Extent> gather(Partition partition, long bytes, long nowNanos) {
        var extents = new ArrayList<Extent>();
        long room = bytes;
        for (TrackedFile file : inOrder(partition)) {
            if (room <= 0 || extents.size() >= MAX_EXTENTS || tracker.isEpochEnding()) {
                break;
            }
            int before = extents.size();
            boolean more = gatherIfReadable(file, room, nowNanos, extents);
            for (Extent extent : extents.subList(before, extents.size())) {
                room -= extent.lengthBytes();
                partition.bytes = Math.max(0, partition.bytes - extent.lengthBytes());
            }
            if (!more) {
                partition.files.remove(file);
            } else if (extents.size() == before && !extents.isEmpty()) {
                break; // its next record needs a batch of its own
            }
        }
        if (partition.files.isEmpty()) {
            partition.bytes = 0;
            partition.urgency = Urgency.LASTING;
        }
        return extents;
    }

    /** As they came, and in haste what would be lost first. */
    private List<TrackedFile> inOrder(Partition partition) {
        return haste.map(disks -> partition.files.stream()
                        .sorted(Comparator.comparing(disks::urgency))
                        .toList())
                .orElseGet(() -> List.copyOf(partition.files));
    }

    /** Whether there is more to take; not if the file is gone, or cannot be read now: the tracker accounts for it. */
    private boolean gatherIfReadable(TrackedFile file, long room, long nowNanos, List<Extent> extents) {
        try {
            Optional<Fd> fd = tracker.lend(file);
            if (fd.isEmpty()) {
                return false;
            }
            try {
                return gather(file, fd.get(), room, nowNanos, extents);
            } finally {
                tracker.giveBack(file, fd.get());
            }
        } catch (LinuxException e) {
            tracker.cannotRead(file, e);
            return false;
        }
    }

    /**
     * Takes at most {@code room} bytes of a file.
     *
     * @return whether there is more to take
     */
    private boolean gather(TrackedFile file, Fd fd, long room, long nowNanos, List<Extent> extents)
            throws LinuxException {
        if (!tracker.stillContinues(file, fd)) {
            return false; // its new epoch is offered again, once the ledger knows of it
        }
        Progress progress = file.on(plan.route());
        if (progress == null) {
            return false;
        }
        if ((!draining && tracker.isHeldAsCopy(file)) || mayInheritEarlierBytes(file)) {
            held.hold(file, nowNanos + COPY_CHECK_NANOS);
            return false;
        }
        long left = room;
        while (left > 0 && !progress.returned().isEmpty()) {
            Range range = progress.returned().getFirst();
            long to = cutReturned(fd, progress, range, left, room);
            if (to < 0) {
                held.hold(file, Long.MIN_VALUE); // it takes a while to find out, and others want to go on
                return false;
            }
            if (to == range.from()) {
                return true;
            }
            Optional<Extent> extent =
                    extent(file, fd, progress, range.from(), to, Guard.at(files, fd, range.from(), buffer));
            if (extent.isEmpty()) {
                return false;
            }
            extents.add(extent.get());
            progress.sealReturned(to);
            left -= to - range.from();
        }
        long from = progress.sealed();
        if (left <= 0 || from >= file.seen()) {
            return from < file.seen() || !progress.returned().isEmpty();
        }
        long most = wholeFiles ? file.seen() : Math.min(file.seen(), from + left);
        long to = cut(file, fd, progress, most, room, nowNanos);
        if (to > from) {
            Optional<Extent> extent = extent(file, fd, progress, from, to, progress.guard());
            if (extent.isEmpty()) {
                return false;
            }
            extents.add(extent.get());
            progress.seal(to, extent.get().guard());
        }
        return progress.sealed() < file.seen() && !held.contains(file);
    }

    /** Whether bytes of its original are on their way, which are this file's to deliver first if they cannot be read. */
    private boolean mayInheritEarlierBytes(TrackedFile copy) {
        return copy.inheritance() != null
                && partitions.values().stream()
                        .map(partition -> partition.travelling)
                        .anyMatch(batch -> batch != null && mayInherit(copy, batch));
    }

    private static boolean mayInherit(TrackedFile copy, Batch batch) {
        Inheritance inheritance = copy.inheritance();
        return inheritance != null
                && batch.extents().stream()
                        .anyMatch(extent -> inheritance.isFrom(extent.file(), extent.epoch())
                                && extent.from() < inheritance.sizeBytes());
    }

    /**
     * Where an extent of bytes that came back ends: with them, or behind a record; at their start if it has no room. -1 if
     * that is not known yet.
     */
    private long cutReturned(Fd fd, Progress progress, Range range, long left, long room) throws LinuxException {
        long limit = range.from() + left;
        if (range.to() <= limit || wholeFiles) {
            return range.to();
        }
        long end = recordEnds.last(fd, range.from(), range.from(), limit, progress.recordStarts());
        if (end == RecordEnds.UNKNOWN) {
            return -1;
        }
        boolean roomiest = left == room && room == plan.batchBytes();
        return end > 0 ? end : roomiest ? limit : range.from();
    }

    /** Where the next extent ends: behind the last whole record before the limit. */
    private long cut(TrackedFile file, Fd fd, Progress progress, long limit, long room, long nowNanos)
            throws LinuxException {
        long from = progress.sealed();
        boolean all = limit == file.seen();
        if (all && draining) {
            return limit;
        }
        long end = recordEnds.last(fd, from, Math.min(progress.searchFrom(), limit), limit, progress.recordStarts());
        if (end == RecordEnds.UNKNOWN) {
            held.hold(file, Long.MIN_VALUE);
            return from;
        }
        if (all && end < limit) {
            if (mayFlushPartial(file, fd, nowNanos)) {
                return limit;
            }
            long next = flushPartialNanos(file);
            held.hold(file, next > nowNanos ? next : nowNanos + WRITERS_CHECK_NANOS);
        }
        if (end > 0) {
            return end;
        }
        progress.searched(limit);
        boolean longerThanBatch = limit - from >= plan.batchBytes() && !wholeFiles;
        if (longerThanBatch) {
            held.forget(file);
            return limit; // split: its parts follow each other
        }
        if (!all && room < plan.batchBytes()) {
            progress.searched(from); // there was too little room: the search begins again in an empty batch
        }
        return from;
    }

    /** An unfinished record will not be finished: its file is deleted and not written to, or has not grown for long. */
    private boolean mayFlushPartial(TrackedFile file, Fd fd, long nowNanos) throws LinuxException {
        boolean rests = flushPartialNanos(file) <= nowNanos;
        return (rests && !(wholeFiles && files.writers(fd).orElse(0) > 0)) || tracker.isFinished(file);
    }

    private long flushPartialNanos(TrackedFile file) {
        return file.grownAtNanos() + plan.flushPartialMillis() * MILLI_NANOS;
    }

    /** Empty if the file was rewritten since it was looked at: then the guard that was just read is of other bytes. */
    private Optional<Extent> extent(TrackedFile file, Fd fd, Progress progress, long from, long to, int guardBefore)
            throws LinuxException {
        long head = recordEnds.headBytes(fd, from, to, progress.recordStarts());
        if (head == RecordEnds.UNKNOWN) {
            held.hold(file, Long.MIN_VALUE);
            return Optional.empty();
        }
        int guard = Guard.at(files, fd, to, buffer);
        return tracker.stillContinues(file, fd)
                ? Optional.of(new Extent(
                        file.number(), file.identity(), file.path(), file.epoch(), from, to, head, guardBefore, guard))
                : Optional.empty();
    }

    private Batch batch(Partition partition, List<Extent> extents, Instant now) {
        BatchId id = ids.get();
        TrackedFile first = tracker.byNumber(extents.getFirst().file());
        var seal = new KeyTemplate.Seal(
                id, now, extents.getFirst().from(), extents.getLast().to());
        LinuxPath key = plan.keyOf(first.firstPath(), host, seal);
        return new Batch(id, plan.route(), plan.sealed(partition.name), key, extents, now);
    }

    /** When {@link #seal} has something to do next, if nothing happens before. */
    long nextDeadlineNanos() {
        long next = Long.MAX_VALUE;
        if (outstanding < maxOutstanding && !waiting.isEmpty()) {
            next = haste.isPresent()
                    ? waiting.stream().mapToLong(this::dueNanos).min().orElseThrow()
                    : dueNanos(waiting.first());
        }
        return Math.min(next, held.nextNanos());
    }

    /** Whether nothing waits to be sealed. */
    boolean isEmpty() {
        return waiting.isEmpty()
                && held.isEmpty()
                && partitions.values().stream().allMatch(partition -> partition.files.isEmpty());
    }
}
