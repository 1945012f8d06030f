package tailrace.testkit.torture;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import tailrace.core.batch.Batch;
import tailrace.core.batch.Extent;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Receipt;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.core.deliver.SinkTraits;
import tailrace.core.deliver.SourceChangedException;
import tailrace.linux.Fd;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;
import tailrace.testkit.simulation.SimulatedMachine;

/** A store elsewhere that takes each key once, never loses what it has, and may answer in many ways. */
final class RemoteStore implements SinkProvider {
    /** What a sink says that throws what it should not. */
    static final String BUG = "a bug in a sink";

    private static final LinuxPath STAGING = LinuxPath.of("/wire/staging");

    /** What was stored. */
    record Stored(List<Extent> extents, byte[] bytes) {}

    private final SimulatedMachine machine;
    private final Map<LinuxPath, Stored> objects = new LinkedHashMap<>();
    private final List<Step.SinkTrouble> troubles = new ArrayList<>();
    private int used;

    RemoteStore(SimulatedMachine machine) {
        this.machine = machine;
    }

    Map<LinuxPath, Stored> objects() {
        return objects;
    }

    void trouble(Step.SinkTrouble trouble) {
        troubles.add(trouble);
    }

    void calmDown() {
        troubles.clear();
    }

    @Override
    public String type() {
        return "remote";
    }

    @Override
    public List<Setting> settings() {
        return List.of();
    }

    @Override
    public String defaultKey(SettingValues values) {
        return "{source}/{batch}";
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        return new Remote(context);
    }

    private Step.Trouble next() {
        while (!troubles.isEmpty()) {
            Step.SinkTrouble first = troubles.getFirst();
            if (used < first.times()) {
                used++;
                return first.trouble();
            }
            troubles.removeFirst();
            used = 0;
        }
        return Step.Trouble.REFUSES;
    }

    private final class Remote implements Sink {
        private final Context context;

        Remote(Context context) {
            this.context = context;
        }

        @Override
        public SinkTraits traits() {
            return new SinkTraits(false, false, 0, 2);
        }

        @Override
        public Receipt deliver(Batch batch, long position, BatchContent content)
                throws DeliveryException, SourceChangedException {
            boolean troubled = !troubles.isEmpty();
            Step.Trouble trouble = next();
            troubled &= !troubles.isEmpty();
            if (troubled && trouble == Step.Trouble.REFUSES) {
                throw DeliveryException.refusal("the store does not want " + batch.key(), "Wait.");
            }
            if (troubled && trouble == Step.Trouble.THROWS) {
                throw new IllegalStateException(BUG);
            }
            if (troubled && trouble == Step.Trouble.FAILS) {
                throw DeliveryException.transientFailure("no route", new IllegalStateException("no route"));
            }
            OptionalInt crc = store(batch, content);
            if (troubled) {
                throw DeliveryException.transientFailure("no answer", new IllegalStateException("no answer"));
            }
            return new Receipt(0, crc);
        }

        /** The name that a file had meanwhile does not matter. */
        private static List<String> ranges(List<Extent> extents) {
            return extents.stream()
                    .map(e -> e.identity() + " " + e.epoch() + " " + e.range())
                    .toList();
        }

        private OptionalInt store(Batch batch, BatchContent content) throws DeliveryException, SourceChangedException {
            Stored known = objects.get(batch.key());
            if (known != null) {
                if (!ranges(known.extents).equals(ranges(batch.extents()))) {
                    throw new Violation("a key means one batch", batch.key() + " was other bytes before");
                }
                return OptionalInt.empty(); // "already there", as an If-None-Match is answered
            }
            try {
                Fd wire = context.kernel()
                        .files()
                        .open(Fd.CURRENT_DIRECTORY, STAGING, OpenHow.create(0600))
                        .orElseThrow();
                try {
                    context.kernel().files().ftruncate(wire, 0);
                    OptionalInt crc = content.transferTo(wire, 0);
                    byte[] bytes = machine.content(STAGING.toString());
                    if (bytes == null || bytes.length != batch.lengthBytes()) {
                        throw new Violation(
                                "a batch is moved whole",
                                batch.lengthBytes() + " bytes became " + Arrays.toString(bytes));
                    }
                    objects.put(batch.key(), new Stored(batch.extents(), bytes));
                    return crc;
                } finally {
                    context.kernel().files().close(wire);
                }
            } catch (LinuxException e) {
                throw DeliveryException.transientFailure("the wire broke: " + e.getMessage(), e);
            }
        }

        @Override
        public void close() {}
    }
}
