package tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Clock;
import tailrace.core.EventLog;
import tailrace.core.PlatformWorkers;
import tailrace.core.World;
import tailrace.core.batch.Batch;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.Couriers;
import tailrace.core.deliver.Integrity;
import tailrace.core.deliver.RateLimit;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.track.Urgency;
import tailrace.core.watch.SafeOpen;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

/** In what order sealed batches are sent. */
class CouriersTest {
    @TempDir
    Path folder;

    /** Says what it is given, and takes it when it may. */
    private static final class SlowSink implements Sink {
        final BlockingQueue<Long> begun = new LinkedBlockingQueue<>();
        final Semaphore mayTake = new Semaphore(0);

        @Override
        public SinkTraits traits() {
            return new SinkTraits(false, false, 0, 1);
        }

        @Override
        public Receipt deliver(Batch batch, long position, BatchContent content) {
            begun.add(batch.id().sequence());
            mayTake.acquireUninterruptibly();
            return new Receipt(0, OptionalInt.empty());
        }

        @Nullable
        Long next() throws InterruptedException {
            return begun.poll(10, TimeUnit.SECONDS);
        }

        @Override
        public void close() {}
    }

    @Test
    void whatIsSealedAlreadyIsSentInTheOrderOfItsUrgencyWhenTheInstanceGoes() throws Exception {
        var kernel = new LinuxKernel();
        var world = new World(kernel, Clock.SYSTEM, new PlatformWorkers(), new Random());
        var log = new EventLog((event, line) -> {});
        Map<Long, Urgency> urgencies = new HashMap<>(Map.of(
                1L,
                Urgency.LASTING,
                2L,
                Urgency.LASTING,
                3L,
                Urgency.EPHEMERAL,
                4L,
                Urgency.GOING,
                5L,
                Urgency.LASTING));
        List<Batch> batches = batches(urgencies.size());
        var sink = new SlowSink();
        var line = new Couriers.Line(
                batches.getFirst().route(), sink, false, false, Integrity.LENGTH, RateLimit.NONE, Optional.empty());
        var open = new SafeOpen(kernel.files(), List.of());
        try (var couriers = new Couriers(
                world,
                log,
                open,
                LinuxPath.of(folder.toString()),
                "testhost",
                List.of(line),
                batch -> List.of(),
                () -> {})) {
            couriers.carry(batches);
            var order = new ArrayList<>(List.of(sink.next()));
            couriers.hasten(
                    world.clock().nanos() + 60_000_000_000L,
                    batch -> urgencies.getOrDefault(batch.id().sequence(), Urgency.LASTING));
            couriers.carry(List.of()); // there is room for one more now
            order.add(sink.next());
            urgencies.put(5L, Urgency.GOING); // a file was deleted meanwhile
            while (order.size() < batches.size()) {
                sink.mayTake.release();
                while (couriers.takeOutcomes().isEmpty()) {
                    Thread.onSpinWait();
                }
                couriers.carry(List.of());
                order.add(sink.next());
            }
            sink.mayTake.release(2);
            assertThat(order).containsExactly(1L, 4L, 5L, 3L, 2L);
            world.workers().close();
        }
    }

    private List<Batch> batches(int count) throws IOException {
        var batches = new ArrayList<Batch>();
        for (int i = 1; i <= count; i++) {
            Path file = Files.writeString(folder.resolve(i + ".log"), "line\n");
            try (var sealed = new SealedFile(file, "p" + i, i)) {
                batches.add(sealed.batch());
            }
        }
        return batches;
    }
}
