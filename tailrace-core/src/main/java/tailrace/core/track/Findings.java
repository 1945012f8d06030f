package tailrace.core.track;

import java.util.List;
import java.util.Set;

/**
 * What the tracker has found out, each to be acted on once.
 *
 * @param grown files with bytes to seal
 * @param changed files whose state the ledger must write down before anything is sealed of them
 * @param leaving files that are no longer live and should be pinned once the ledger knows them
 * @param forgotten files that are done; their books are closed
 */
public record Findings(
        Set<TrackedFile> grown,
        Set<TrackedFile> changed,
        List<Loss> losses,
        Set<TrackedFile> leaving,
        List<TrackedFile> forgotten) {}
