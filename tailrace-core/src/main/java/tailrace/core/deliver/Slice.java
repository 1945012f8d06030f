package tailrace.core.deliver;

import java.util.Optional;
import tailrace.core.batch.Extent;
import tailrace.linux.Fd;
import tailrace.linux.LinuxPath;

/**
 * An extent and how to reach its file.
 *
 * @param path where the file was found last
 * @param fd a descriptor of its own, which the courier closes; empty if it is to be opened by its path
 */
public record Slice(Extent extent, LinuxPath path, Optional<Fd> fd) {}
