package tailrace.testkit.torture;

import tailrace.linux.Errno;

/** One thing that happens to the agent's world. Files are numbered; their names lie in the {@link Setup}. */
public sealed interface Step {
    /** A service appends lines; the last may be left unfinished until the next write. */
    record Write(int file, int lines, boolean partial) implements Step {}

    /** As through a mapping: nobody is told. */
    record WriteSilently(int file, int lines) implements Step {}

    /** The file is renamed and a new one begun; within the pattern, or where no pattern matches. */
    record RotateByRename(int file, boolean matching) implements Step {}

    /** The file is copied and then cut to nothing, by a tool that is as slow as the next steps are many. */
    record BeginCopy(int file, boolean matching) implements Step {}

    /** Ends what {@link BeginCopy} began: now the file is cut. */
    record EndCopy(int file) implements Step {}

    /** The last name goes; the service keeps the file open, or not. */
    record Delete(int file, boolean stillOpen) implements Step {}

    /** All rotated files of this one go, as a rotation with few generations does it. */
    record DeleteRotated(int file) implements Step {}

    record Truncate(int file) implements Step {}

    /** Cut, and at once written anew, longer than it was. */
    record Rewrite(int file) implements Step {}

    /** A new file takes the name by rename, as editors save. */
    record Replace(int file) implements Step {}

    /** Into another folder that is watched, or out of all. */
    record Move(int file, boolean watched) implements Step {}

    record HardLink(int file) implements Step {}

    record Pass(int millis) implements Step {}

    /** The wall clock jumps; real time does not. */
    record JumpClock(int seconds) implements Step {}

    /** kill -9 before the agent's call that many calls from now. */
    record Kill(int calls) implements Step {}

    /** The power goes before that call. */
    record PowerCut(int calls) implements Step {}

    /** SIGTERM with so much time. */
    record Terminate(int millis) implements Step {}

    /** The next calls of a kind fail, on a path that contains a text. */
    record Fail(String call, String where, Errno errno, int times) implements Step {}

    /** No space is left below a directory until {@link FreeSpace}. */
    record FillDisk(String directory) implements Step {}

    record FreeSpace(String directory) implements Step {}

    /** The remote sink behaves so for its next deliveries. */
    record SinkTrouble(Trouble trouble, int times) implements Step {}

    /** What a remote sink may do. */
    enum Trouble {
        FAILS,
        STORES_BUT_FAILS,
        REFUSES,
        THROWS
    }
}
