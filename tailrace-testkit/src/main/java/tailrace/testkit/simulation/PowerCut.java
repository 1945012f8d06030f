package tailrace.testkit.simulation;

/** Decides what survives when the power goes, where the disk promised nothing. */
@FunctionalInterface
public interface PowerCut {
    /** Bytes that a disk writes whole or not at all. */
    int SECTOR_BYTES = 512;

    /** A number of {@code [0, bound)}. */
    int choose(int bound);
}
