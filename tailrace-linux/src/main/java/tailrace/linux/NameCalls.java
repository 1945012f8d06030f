package tailrace.linux;

import java.util.List;
import java.util.Optional;

/** Making, moving, removing and listing names in directories. */
public interface NameCalls {
    /**
     * Gives an open file one more name. Goes through /proc/self/fd, which unlike AT_EMPTY_PATH needs no capability;
     * also names an O_TMPFILE.
     *
     * @return false if the name exists already (EEXIST)
     * @see <a href="https://man7.org/linux/man-pages/man2/linkat.2.html">linkat(2)</a>
     */
    boolean link(Fd file, Fd directory, LinuxPath path) throws LinuxException;

    /**
     * Removes a name.
     *
     * @return false if there was none
     */
    boolean unlink(Fd directory, LinuxPath path) throws LinuxException;

    /**
     * Renames, replacing what has the new name.
     *
     * @return false if the old name does not exist
     */
    boolean rename(Fd fromDirectory, LinuxPath from, Fd toDirectory, LinuxPath to) throws LinuxException;

    /**
     * Renames by RENAME_NOREPLACE.
     *
     * @return false if the new name exists already (EEXIST)
     */
    boolean renameNoReplace(Fd fromDirectory, LinuxPath from, Fd toDirectory, LinuxPath to) throws LinuxException;

    /**
     * Makes a directory.
     *
     * @return false if the name exists already
     */
    boolean mkdir(Fd directory, LinuxPath path, int mode) throws LinuxException;

    /** What is in a directory, in the kernel's order, without {@code .} and {@code ..}. The descriptor is rewound. */
    List<DirectoryEntry> list(Fd directory) throws LinuxException;

    /** Where a symbolic link points; empty if there is no such name or it is no symbolic link. */
    Optional<LinuxPath> readlink(Fd directory, LinuxPath path) throws LinuxException;
}
