package tailrace.testkit.simulation;

import org.jspecify.annotations.Nullable;

/** An open file description: what descriptors of one opening share. */
final class OpenFile {
    /** What is open: one of these is set. */
    final @Nullable Inode inode;

    /** The name it was opened by; null for a file without one. */
    final @Nullable Dentry dentry;

    final @Nullable Inotify inotify;
    final boolean writable;
    final boolean append;
    final boolean placeOnly;
    long position;
    int descriptors = 1;

    /** Of an eventfd; -1 if it is none. */
    long events = -1;

    /** What an epoll instance waits for; null if it is none. */
    java.util.@Nullable List<OpenFile> interests;

    private OpenFile(
            @Nullable Inode inode,
            @Nullable Dentry dentry,
            @Nullable Inotify inotify,
            boolean writable,
            boolean append,
            boolean placeOnly) {
        this.inode = inode;
        this.dentry = dentry;
        this.inotify = inotify;
        this.writable = writable;
        this.append = append;
        this.placeOnly = placeOnly;
    }

    static OpenFile of(Inode inode, @Nullable Dentry dentry, boolean writable, boolean append, boolean placeOnly) {
        return new OpenFile(inode, dentry, null, writable, append, placeOnly);
    }

    static OpenFile of(Inotify inotify) {
        return new OpenFile(null, null, inotify, false, false, false);
    }

    static OpenFile eventfd() {
        var file = new OpenFile(null, null, null, false, false, false);
        file.events = 0;
        return file;
    }

    static OpenFile epoll() {
        var file = new OpenFile(null, null, null, false, false, false);
        file.interests = new java.util.ArrayList<>();
        return file;
    }

    boolean isReadable() {
        return events > 0 || (inotify != null && !inotify.isEmpty());
    }
}
