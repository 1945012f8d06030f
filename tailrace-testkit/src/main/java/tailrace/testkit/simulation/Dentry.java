package tailrace.testkit.simulation;

import tailrace.linux.LinuxPath;

/** A name in a directory. A rename changes it, and who has the file open under it goes along, as in Linux. */
final class Dentry {
    Inode parent;
    LinuxPath name;
    final Inode inode;

    Dentry(Inode parent, LinuxPath name, Inode inode) {
        this.parent = parent;
        this.name = name;
        this.inode = inode;
    }
}
