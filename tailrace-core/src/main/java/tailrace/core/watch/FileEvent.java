package tailrace.core.watch;

import tailrace.linux.LinuxPath;

/** What happened to a name, or to a file without one. Names are absolute. */
public sealed interface FileEvent {
    /** A name is there that may not have been there before: made, moved in, or found by a scan. */
    record Appeared(LinuxPath path) implements FileEvent {}

    /** The file of that name was written to, or changed in size. */
    record Grew(LinuxPath path) implements FileEvent {}

    /** A file got another name. */
    record Moved(LinuxPath from, LinuxPath to) implements FileEvent {}

    /** A name is gone: deleted, or moved to where nothing is watched. */
    record Vanished(LinuxPath path) implements FileEvent {}

    /** A folder is gone with all names below it; those that only moved appear again. */
    record FolderVanished(LinuxPath folder) implements FileEvent {}

    /** Something happened to a file that is watched by itself: see {@link Watcher#follow}. */
    record Stirred(int watch) implements FileEvent {}

    /**
     * Events were missed: look at every file. Follows the {@link Appeared} of everything that is there.
     *
     * @param complete whether every folder could be read: if not, a file that was not found may yet be there
     */
    record Rescanned(boolean complete) implements FileEvent {}
}
