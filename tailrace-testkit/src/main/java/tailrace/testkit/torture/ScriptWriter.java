package tailrace.testkit.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import tailrace.core.track.PinSettings;
import tailrace.linux.Errno;

/** Draws a script from a seed. */
public final class ScriptWriter {
    private static final List<Step.Trouble> TROUBLES = List.of(Step.Trouble.values());
    private static final List<PinSettings.Mode> PINS = List.of(PinSettings.Mode.values());
    private static final int SCENE_ONE_IN = 16;
    private static final int MIN_STEPS = 10;
    private static final int MAX_STEPS = 90;

    private final long seed;
    private final SplittableRandom random;
    private final int files;
    private final boolean harsh;

    private ScriptWriter(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(~seed);
        this.files = 1 + random.nextInt(4);
        this.harsh = random.nextInt(3) > 0;
    }

    /** The script that a seed means; for ever the same in one version of this class. */
    public static Script of(long seed) {
        return new ScriptWriter(seed).write();
    }

    private Script write() {
        Setup setup = setup();
        int count = MIN_STEPS + random.nextInt(MAX_STEPS - MIN_STEPS);
        var steps = new ArrayList<Step>();
        for (int i = 0; i < count; i++) {
            steps.add(step(setup));
        }
        if (Math.floorMod(seed, SCENE_ONE_IN) == 0) {
            steps.addAll(random.nextInt(steps.size()), deletedWhileStopped(setup));
        }
        return new Script(seed, setup, steps);
    }

    /** What chance alone plays too rarely: a file that waits for its sink is rotated, and deleted while nobody runs. */
    private List<Step> deletedWhileStopped(Setup setup) {
        int file = random.nextInt(files);
        var scene = new ArrayList<Step>();
        scene.add(new Step.Write(file, 2, false));
        scene.add(new Step.Pass(3000));
        for (int i = 0; i < 12; i++) {
            scene.add(new Step.Pass(100));
            scene.add(new Step.Write(file, 1, false));
        }
        if (setup.sinks().contains("remote")) {
            scene.add(new Step.SinkTrouble(Step.Trouble.THROWS, 100));
        }
        scene.add(new Step.Write(file, 12, false));
        scene.add(new Step.RotateByRename(file, chance(2)));
        for (int i = 0; i < 12; i++) {
            scene.add(new Step.Pass(200));
            scene.add(new Step.Write(file, 1, false));
        }
        scene.add(new Step.Kill(1));
        scene.add(new Step.DeleteRotated(file));
        return scene;
    }

    private Setup setup() {
        List<String> all = List.of("objects", "append", "remote");
        var sinks = new ArrayList<String>();
        sinks.add(all.get(random.nextInt(3)));
        if (chance(4)) {
            String second = all.get(random.nextInt(3));
            if (!sinks.contains(second)) {
                sinks.add(second);
            }
        }
        return new Setup(
                sinks,
                chance(2),
                chance(3) ? 200 : 500 + random.nextInt(4000),
                chance(3) ? 0 : random.nextInt(3000),
                chance(3) ? 2 + random.nextInt(10) : 16384,
                chance(8) ? 25 + random.nextInt(20) : 10_000,
                chance(8) ? 1 : 10_000,
                files,
                PINS.get(Math.floorMod(seed, PINS.size())));
    }

    private boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    private Step step(Setup setup) {
        int file = random.nextInt(files);
        int kind = random.nextInt(harsh ? 100 : 80);
        if (kind < 34) {
            return new Step.Write(file, 1 + random.nextInt(12), chance(4));
        } else if (kind < 46) {
            return new Step.Pass(chance(4) ? 5_000 + random.nextInt(10_000) : random.nextInt(800));
        } else if (kind < 54) {
            return new Step.RotateByRename(file, chance(2));
        } else if (kind < 58) {
            return new Step.BeginCopy(file, chance(2));
        } else if (kind < 63) {
            return new Step.EndCopy(file);
        } else if (kind < 80) {
            return rareChange(file);
        } else {
            return trouble(setup);
        }
    }

    private Step rareChange(int file) {
        return switch (random.nextInt(10)) {
            case 0 -> new Step.Delete(file, chance(2));
            case 1 -> new Step.DeleteRotated(file);
            case 2 -> new Step.Truncate(file);
            case 3 -> new Step.Rewrite(file);
            case 4 -> new Step.Replace(file);
            case 5 -> new Step.Move(file, chance(2));
            case 6 -> new Step.HardLink(file);
            case 7 -> new Step.WriteSilently(file, 1 + random.nextInt(3));
            case 8 -> new Step.JumpClock(chance(2) ? -3600 : 86_400);
            default -> new Step.RotateByRename(file, true);
        };
    }

    private Step trouble(Setup setup) {
        return switch (random.nextInt(10)) {
            case 0, 1, 2 -> new Step.Kill(random.nextInt(chance(2) ? 60 : 600));
            case 3, 4 -> new Step.PowerCut(random.nextInt(chance(2) ? 60 : 600));
            case 5 -> new Step.Terminate(chance(2) ? 0 : random.nextInt(5000));
            case 6 -> new Step.FillDisk(chance(2) ? Setup.OUT : Setup.STATE);
            case 7 -> new Step.FreeSpace(chance(2) ? Setup.OUT : Setup.STATE);
            case 8 ->
                setup.sinks().contains("remote")
                        ? new Step.SinkTrouble(TROUBLES.get(random.nextInt(TROUBLES.size())), 1 + random.nextInt(4))
                        : fault();
            default -> fault();
        };
    }

    private Step fault() {
        int times = 1 + random.nextInt(3);
        return switch (random.nextInt(9)) {
            case 0 -> new Step.Fail("pwrite", Setup.OUT, Errno.EIO, times);
            case 1 -> new Step.Fail("copy_file_range", Setup.OUT, Errno.EDQUOT, times);
            case 2 -> new Step.Fail("copy_file_range", Setup.OUT, Errno.EXDEV, 10);
            case 3 -> new Step.Fail("fdatasync", Setup.OUT, Errno.EIO, times);
            case 4 -> new Step.Fail("linkat", Setup.OUT, Errno.ENOSPC, times);
            case 5 -> new Step.Fail("openat", Setup.SPOOL, Errno.EMFILE, times);
            case 6 -> new Step.Fail("openat", Setup.OUT, Errno.EACCES, times);
            case 7 -> new Step.Fail("pread", Setup.SPOOL, Errno.EIO, times);
            default -> new Step.Fail("fdatasync", Setup.STATE, Errno.EIO, 1);
        };
    }
}
