/** Files, names, copies, watches and sockets of Linux, by system call; nothing here knows about tailrace. */
@NullMarked
package tailrace.linux;

import org.jspecify.annotations.NullMarked;
