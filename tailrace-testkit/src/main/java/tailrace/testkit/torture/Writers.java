package tailrace.testkit.torture;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tailrace.core.track.PinSettings;
import tailrace.linux.Fd;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;
import tailrace.testkit.simulation.SimulatedKernel;
import tailrace.testkit.simulation.SimulatedMachine;

/** Services that write numbered lines, and tools that rotate and remove their files. Knows what must be delivered. */
final class Writers {
    private static final int MODE = 0644;

    /** After so many rests the agent has seen what was written before. */
    private static final int RESTS = 4;

    /** One service's file, as the service sees it. */
    private static final class Service {
        final String path;
        final List<String> rotated = new ArrayList<>();

        @Nullable
        Fd open;

        /** The rest of a line that was begun. */
        byte[] rest = new byte[0];

        int restId = -1;
        int rotations;
        Excuses.Moment begun = new Excuses.Moment(0, 0);

        /** A copy that was begun, what it holds, and whether the agent has lived through it all. */
        @Nullable
        String copy;

        boolean copyUndisturbed;
        boolean copyMatches;

        Excuses.Moment written = new Excuses.Moment(0, 0);

        Service(String path) {
            this.path = path;
        }
    }

    private final SimulatedMachine machine;
    private final SimulatedKernel kernel;
    private final Excuses excuses;
    private final List<Service> services = new ArrayList<>();
    private final BitSet complete = new BitSet();

    private final boolean pinning;
    private boolean roomy;
    private boolean agentIsThere;
    private int nextId;

    Writers(SimulatedMachine machine, Setup setup, Excuses excuses) {
        this.machine = machine;
        this.roomy = setup.isRoomy();
        this.pinning = setup.pins() != PinSettings.Mode.OFF;
        this.excuses = excuses;
        this.kernel = machine.process();
        List<String> names = List.of("/a.log", "/b.log", "/sub/c.log", "/sub/d.log");
        for (int i = 0; i < setup.files(); i++) {
            services.add(new Service(Setup.SPOOL + names.get(i)));
        }
    }

    BitSet complete() {
        return complete;
    }

    /** The agent was not there for a while: what it knew only in memory is gone. */
    void agentDied() {
        agentIsThere = false;
        excuses.agentDied();
        for (Service service : services) {
            if (excuses.mayBeUnknown(service.begun)) {
                service.begun = excuses.now(); // the next agent finds it anew
            }
        }
        copiesRest();
    }

    /** The agent may be unable to open what it should look at. */
    void agentMayBeBlind(boolean blind) {
        if (blind) {
            roomy = false;
            copiesRest();
        }
    }

    /** The agent has seen all there was when it started. */
    void agentIsThere() {
        agentIsThere = true;
    }

    /** The agent takes everything as it is now, be it a copy or not. */
    void agentHurries() {
        excuses.agentHurries();
        copiesRest();
    }

    void play(Step step) throws LinuxException {
        switch (step) {
            case Step.Write write -> write(services.get(write.file()), write.lines(), write.partial());
            case Step.WriteSilently write -> writeSilently(services.get(write.file()), write.lines());
            case Step.RotateByRename rotate -> rotate(services.get(rotate.file()), rotate.matching());
            case Step.BeginCopy copy -> beginCopy(services.get(copy.file()), copy.matching());
            case Step.EndCopy copy -> endCopy(services.get(copy.file()));
            case Step.Delete delete -> delete(services.get(delete.file()), delete.stillOpen());
            case Step.DeleteRotated delete -> deleteRotated(services.get(delete.file()));
            case Step.Truncate truncate -> truncate(services.get(truncate.file()));
            case Step.Rewrite rewrite -> rewrite(services.get(rewrite.file()));
            case Step.Replace replace -> replace(services.get(replace.file()));
            case Step.Move move -> move(services.get(move.file()), move.watched());
            case Step.HardLink link -> hardLink(services.get(link.file()));
            default -> throw new IllegalArgumentException("not for writers: " + step);
        }
    }

    /** All services stop. */
    void stop() throws LinuxException {
        for (Service service : services) {
            forgetCopy(service);
            close(service);
        }
    }

    private Fd open(Service service) throws LinuxException {
        Fd open = service.open;
        if (open == null) {
            makeFolder(LinuxPath.of(service.path).parent());
            if (machine.content(service.path) == null) {
                service.begun = excuses.now();
            }
            open = openPath(service.path);
            service.open = open;
        }
        return open;
    }

    private void makeFolder(LinuxPath folder) throws LinuxException {
        if (kernel.files().status(Fd.CURRENT_DIRECTORY, folder).isEmpty()) {
            makeFolder(folder.parent());
            kernel.names().mkdir(Fd.CURRENT_DIRECTORY, folder, 0755);
        }
    }

    private Fd openPath(String path) throws LinuxException {
        return kernel.files()
                .open(Fd.CURRENT_DIRECTORY, LinuxPath.of(path), OpenHow.append(MODE))
                .orElseThrow();
    }

    private void close(Service service) throws LinuxException {
        Fd open = service.open;
        service.open = null;
        service.rest = new byte[0];
        if (open != null) {
            kernel.files().close(open);
        }
    }

    private void write(Service service, int lines, boolean partial) throws LinuxException {
        Fd open = open(service);
        service.written = excuses.now();
        finishLine(service, open);
        for (int i = 0; i < lines; i++) {
            int id = nextId++;
            byte[] line = Lines.of(id);
            if (partial && i == lines - 1) {
                int cut = line.length / 2;
                append(open, Arrays.copyOf(line, cut));
                service.rest = Arrays.copyOfRange(line, cut, line.length);
                service.restId = id;
            } else {
                append(open, line);
                complete.set(id);
            }
        }
    }

    private void finishLine(Service service, Fd open) throws LinuxException {
        if (service.rest.length > 0) {
            append(open, service.rest);
            complete.set(service.restId);
            service.rest = new byte[0];
        }
    }

    private void append(Fd fd, byte[] bytes) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
            kernel.files().write(fd, source);
        }
    }

    private void writeSilently(Service service, int lines) {
        if (service.rest.length > 0) {
            return;
        }
        for (int i = 0; i < lines; i++) {
            int id = nextId;
            if (!machine.appendSilently(service.path, Lines.of(id))) {
                return;
            }
            nextId++;
            complete.set(id);
        }
    }

    private void rotate(Service service, boolean matching) throws LinuxException {
        forgetCopy(service);
        rename(service, rotatedName(service, matching), matching);
        close(service);
    }

    private void rename(Service service, String target, boolean matching) throws LinuxException {
        if (!matching) {
            excuses.movedOutside(() -> machine.content(target), roomy ? service.begun : excuses.now());
            byte[] content = machine.content(service.path);
            if (content != null && !isHeld(service)) {
                excuses.destroyed(content);
            }
        }
        if (kernel.names()
                .rename(Fd.CURRENT_DIRECTORY, LinuxPath.of(service.path), Fd.CURRENT_DIRECTORY, LinuxPath.of(target))) {
            service.rotated.add(target);
            if (pinning && roomy && agentIsThere && !excuses.mayBeUnknown(service.begun)) {
                excuses.rotated(() -> machine.content(target));
            }
        }
    }

    /** A file that the agent does not hold is out of its sight under a name that matches nothing. */
    private boolean isHeld(Service service) {
        // where descriptors are short, what is open now may be closed again at once
        return roomy && machine.isOpenBeside(service.path, service.open == null ? 0 : 1);
    }

    private static String rotatedName(Service service, boolean matching) {
        service.rotations++;
        String name = service.path.replace(".log", "");
        return matching ? name + "-" + service.rotations + ".log" : service.path + "." + service.rotations;
    }

    private void beginCopy(Service service, boolean matching) throws LinuxException {
        byte[] content = machine.content(service.path);
        if (content == null || content.length < 100 || service.copy != null) {
            return;
        }
        String target = rotatedName(service, matching);
        Fd copy = openPath(target);
        append(copy, Arrays.copyOf(content, content.length / 2));
        append(copy, Arrays.copyOfRange(content, content.length / 2, content.length));
        kernel.files().close(copy);
        service.rotated.add(target);
        service.copy = target;
        service.copyUndisturbed = roomy && agentIsThere; // a copy that cannot be held open cannot be compared
        service.copyMatches = matching;
    }

    /** Whether a line of a copy may be read twice: the agent saw the copy and did not see what it was for in time. */
    private void endCopy(Service service) throws LinuxException {
        String copy = service.copy;
        byte[] copied = copy == null ? null : machine.content(copy);
        byte[] content = machine.content(service.path);
        service.copy = null;
        if (copied == null || content == null) {
            return;
        }
        excuses.destroyed(
                Arrays.copyOfRange(content, Math.min(content.length, Lines.whole(copied).length), content.length));
        truncateTo0(service);
        if (!service.copyUndisturbed) {
            excuses.copied(copied);
        }
        boolean grew =
                content.length > copied.length; // then a copy that matches no pattern is recognised at times only
        boolean seen = roomy && service.copyUndisturbed && excuses.restsSince(service.written) >= RESTS;
        if (!service.copyMatches && (grew || !seen)) {
            excuses.destroyed(copied);
        } else if (!service.copyMatches) {
            excuses.copyEndedOutside(copied);
        } else if (service.copyUndisturbed) {
            excuses.copyEndedInside(copied);
        }
    }

    /** The power goes, for the services, too. */
    void powerCut() {
        kernel.kill();
        for (Service service : services) {
            service.open = null;
        }
    }

    /** A copy was begun so long ago that it counts as a file of its own. */
    void copiesRest() {
        services.forEach(service -> service.copyUndisturbed = false);
    }

    private void truncateTo0(Service service) throws LinuxException {
        Fd open = open(service);
        kernel.files().ftruncate(open, 0);
        service.rest = new byte[0];
    }

    private void truncate(Service service) throws LinuxException {
        byte[] content = machine.content(service.path);
        if (content != null) {
            excuses.destroyed(content);
            forgetCopy(service);
            truncateTo0(service);
        }
    }

    /** A copy that was begun stays a file of its own. */
    private void forgetCopy(Service service) {
        byte[] copied = service.copy == null ? null : machine.content(service.copy);
        if (copied != null) {
            excuses.copied(copied);
        }
        service.copy = null;
    }

    private void rewrite(Service service) throws LinuxException {
        byte[] content = machine.content(service.path);
        if (content == null) {
            return;
        }
        truncate(service);
        write(service, content.length / 40 + 2, false);
    }

    private void replace(Service service) throws LinuxException {
        forgetCopy(service);
        close(service);
        makeFolder(LinuxPath.of(service.path).parent());
        String temporary = service.path + "~";
        service.begun = excuses.now();
        Fd fd = openPath(temporary);
        int id = nextId++;
        append(fd, Lines.of(id));
        complete.set(id);
        kernel.files().close(fd);
        kernel.names()
                .rename(
                        Fd.CURRENT_DIRECTORY,
                        LinuxPath.of(temporary),
                        Fd.CURRENT_DIRECTORY,
                        LinuxPath.of(service.path));
    }

    private void delete(Service service, boolean stillOpen) throws LinuxException {
        forgetCopy(service);
        Fd writing = stillOpen ? service.open : null;
        kernel.names().unlink(Fd.CURRENT_DIRECTORY, LinuxPath.of(service.path));
        if (writing != null) {
            write(service, 2, false); // into the file without a name
        }
        close(service);
    }

    private void deleteRotated(Service service) throws LinuxException {
        forgetCopy(service);
        for (String path : service.rotated) {
            kernel.names().unlink(Fd.CURRENT_DIRECTORY, LinuxPath.of(path));
        }
        service.rotated.clear();
    }

    private void move(Service service, boolean watched) throws LinuxException {
        forgetCopy(service);
        String folder = watched ? Setup.SPOOL + "/moved" : Setup.ELSEWHERE;
        makeFolder(LinuxPath.of(folder));
        String target = folder + "/" + service.rotations++ + "-"
                + LinuxPath.of(service.path).fileName();
        boolean inSight = watched || isHeld(service);
        rename(service, target, watched);
        if (!watched && service.open != null) {
            write(service, 2, false); // whoever writes does not know that its file was moved
        }
        close(service);
        byte[] content = machine.content(target);
        if (!inSight && content != null) {
            excuses.destroyed(content);
        }
    }

    private void hardLink(Service service) throws LinuxException {
        if (machine.content(service.path) == null) {
            return;
        }
        Fd fd = openPath(service.path);
        kernel.names()
                .link(fd, Fd.CURRENT_DIRECTORY, LinuxPath.of(service.path.replace(".log", "-link" + nextId + ".log")));
        kernel.files().close(fd);
    }
}
