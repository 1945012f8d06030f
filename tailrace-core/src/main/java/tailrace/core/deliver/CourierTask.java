package tailrace.core.deliver;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.batch.Batch;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;

/** One attempt, on a courier's thread: owns the descriptors of its slices and closes them. */
final class CourierTask implements Runnable {
    /** Lives as long as its thread. */
    private static final ThreadLocal<AlignedBuffer> BUFFER =
            ThreadLocal.withInitial(() -> new AlignedBuffer(Arena.ofAuto(), BatchContent.BUFFER_BYTES));

    /**
     * What every attempt of a route needs.
     *
     * @param folder where prepared batches have room
     * @param takesRecords whether the sink cuts batches into records by itself
     * @param writesFiles whether it writes batches into files, without knowing before how long they are
     * @param processors as {@link Preparation} wants it; of the route, so that none waits for another's disk
     * @param deadLetters for what is rejected; if there are none it stays pending
     */
    record Tools(
            Kernel kernel,
            SafeOpen open,
            Integrity integrity,
            LinuxPath folder,
            boolean takesRecords,
            boolean writesFiles,
            Semaphore processors,
            Optional<DeadLetters> deadLetters,
            EventLog log) {}

    /** What is to be done with the sink. */
    private interface Work {
        Outcome run() throws DeliveryException, SourceChangedException;
    }

    private final Tools tools;
    private final Batch batch;
    private final List<Slice> slices;
    private final Consumer<RouteCourier.Result> report;
    private final Work work;
    private final AtomicBoolean begun = new AtomicBoolean();

    private CourierTask(Tools tools, Batch batch, List<Slice> slices, Consumer<RouteCourier.Result> report, Work work) {
        this.tools = tools;
        this.batch = batch;
        this.slices = slices;
        this.report = report;
        this.work = work;
    }

    static CourierTask askForLength(Tools tools, Sink sink, Batch batch, Consumer<RouteCourier.Result> report) {
        return new CourierTask(
                tools, batch, List.of(), report, () -> new Outcome.KeyOpened(batch, sink.lengthOf(batch.key())));
    }

    static CourierTask deliver(
            Tools tools,
            Sink sink,
            Batch batch,
            long position,
            List<Slice> slices,
            Consumer<RouteCourier.Result> report) {
        return new CourierTask(tools, batch, slices, report, () -> {
            try {
                if (Preparation.isNeeded(batch) && !tools.takesRecords) {
                    return deliverPrepared(tools, sink, batch, position, slices);
                }
                Receipt receipt = sink.deliver(batch, position, content(tools, slices, BUFFER.get()));
                return new Outcome.Delivered(batch, receipt, batch.lengthBytes());
            } catch (DeliveryException e) {
                if (e.isRejection() && tools.deadLetters.isPresent()) {
                    return deadLetter(tools, tools.deadLetters.get(), batch, slices, String.valueOf(e.getMessage()));
                }
                throw e;
            }
        });
    }

    private static Outcome deadLetter(Tools tools, DeadLetters letters, Batch batch, List<Slice> slices, String why)
            throws DeliveryException, SourceChangedException {
        try {
            return new Outcome.DeadLettered(batch, letters.write(batch, content(tools, slices, BUFFER.get())), why);
        } catch (LinuxException e) {
            throw DeliveryException.refusal(why, "It cannot be written to dead_letters either: " + e.getMessage());
        }
    }

    private static BatchContent content(Tools tools, List<Slice> slices, AlignedBuffer buffer) {
        return new BatchContent(tools.kernel, tools.open, slices, tools.integrity, buffer);
    }

    private static Outcome deliverPrepared(Tools tools, Sink sink, Batch batch, long position, List<Slice> slices)
            throws DeliveryException, SourceChangedException {
        BatchContent raw = content(tools, slices, Compression.block());
        var preparation = new Preparation(tools.kernel, tools.folder, batch, raw, tools.processors);
        var content = new BatchContent(
                tools.kernel, tools.open, slices, Optional.of(preparation), tools.integrity, BUFFER.get());
        try {
            if (!tools.writesFiles) {
                content.prepare();
            }
            Receipt receipt = sink.deliver(batch, position, content);
            return new Outcome.Delivered(
                    batch,
                    new Receipt(receipt.position(), receipt.crc32c(), content.withheld()),
                    content.lengthBytes());
        } catch (LinuxException e) {
            throw DeliveryException.transientFailure(
                    "cannot prepare a batch, which needs room in " + tools.folder + ": " + e.getMessage(), e);
        } finally {
            close(content);
        }
    }

    private static void close(BatchContent content) throws DeliveryException {
        try {
            content.close();
        } catch (LinuxException e) {
            throw DeliveryException.transientFailure("cannot close a batch that was prepared: " + e.getMessage(), e);
        }
    }

    /** The task will not run: gives back what it was lent, unless it runs already. */
    void abandon() {
        if (!begun.getAndSet(true)) {
            closeAll();
        }
    }

    @Override
    public void run() {
        if (begun.getAndSet(true)) {
            return;
        }
        RouteCourier.Result result;
        try {
            result = new RouteCourier.Result.Ended(work.run());
        } catch (SourceChangedException e) {
            result = new RouteCourier.Result.Ended(new Outcome.SourceChanged(batch, e.extents()));
        } catch (DeliveryException e) {
            long afterMillis = e.retryAfter().map(java.time.Duration::toMillis).orElse(0L);
            result = new RouteCourier.Result.Failed(batch, e.isRefusal(), afterMillis, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            tools.log.report(Event.SINK_BUG, batch.route().name(), e.toString());
            result = new RouteCourier.Result.Failed(batch, false, 0, e.toString());
        }
        closeAll();
        report.accept(result);
    }

    private void closeAll() {
        for (Slice slice : slices) {
            slice.fd().ifPresent(fd -> {
                try {
                    tools.kernel.files().close(fd);
                } catch (LinuxException e) {
                    tools.log.report(Event.SINK_BUG, slice.path(), String.valueOf(e.getMessage()));
                }
            });
        }
    }
}
