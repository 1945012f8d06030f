package tailrace.core.ledger;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tailrace.core.ledger.LedgerRecord.FileState;
import tailrace.core.ledger.LedgerRecord.Identified;
import tailrace.core.ledger.LedgerRecord.RouteState;
import tailrace.core.track.FileIdentity;
import tailrace.core.track.Guard;
import tailrace.core.track.Identification;
import tailrace.core.track.Progress;
import tailrace.linux.AlignedBuffer;
import tailrace.linux.DirectoryEntry;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.FileStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * Makes a copied ledger one of its own: it gets a new id, so that its batches are told from those of the one that it was
 * copied from, and its files are found again by name and content where their identities have changed.
 *
 * @param id the new ledger's
 * @param refound files that were found under another identity
 * @param missing files that were not found, with bytes pending or not
 */
public record Adoption(String id, List<LinuxPath> refound, List<LinuxPath> missing) {
    private static final int SCRATCH_BYTES = 4096;

    public Adoption {
        refound = List.copyOf(refound);
        missing = List.copyOf(missing);
    }

    /**
     * Writes the ledger of a locked state directory anew. The old one is removed when the new one is durable.
     *
     * @param id eight hexadecimal digits, drawn at random
     * @param pins where the second names of rotated files are, which bear the ledger's id
     * @throws LedgerException if there is no ledger, or it cannot be read
     */
    public static Adoption adopt(Kernel kernel, StateDirectory directory, String id, LinuxPath pins)
            throws LedgerException {
        var records = new ArrayList<LedgerRecord>();
        LedgerFile.Content old = LedgerFile.read(kernel, directory.path(), records::add)
                .orElseThrow(() -> new LedgerException("there is no ledger in " + directory.path()));
        try {
            var adoption = new Adopter(kernel, old.state()).search();
            records.addAll(adoption.found);
            var frames = new Journal.Frames();
            records.stream()
                    .filter(each -> !(each instanceof LedgerRecord.Origin))
                    .forEach(frames::add);
            LinuxPath name = LedgerFile.name(old.generation() + 1);
            kernel.files()
                    .close(Ledger.writeFile(kernel, directory, name, id, frames.take())
                            .file());
            renamePins(kernel, pins, old.id(), id);
            LedgerFile.removeOlder(kernel, directory.fd(), old.generation() + 1);
            return new Adoption(id, adoption.refound, adoption.missing);
        } catch (LinuxException e) {
            throw new LedgerException("cannot adopt the ledger in " + directory.path() + ": " + e.getMessage(), e);
        }
    }

    private static void renamePins(Kernel kernel, LinuxPath pins, String from, String to) throws LinuxException {
        Optional<Fd> folder = kernel.files().open(Fd.CURRENT_DIRECTORY, pins, OpenHow.directory());
        if (folder.isEmpty()) {
            return;
        }
        try {
            for (DirectoryEntry entry : kernel.names().list(folder.get())) {
                String name = entry.name().toString();
                if (name.startsWith(from + "-")) {
                    LinuxPath renamed = LinuxPath.of(to + name.substring(from.length()));
                    kernel.names().rename(folder.get(), entry.name(), folder.get(), renamed);
                }
            }
        } finally {
            kernel.files().close(folder.get());
        }
    }

    /** Looks for the files that a ledger knows. */
    private static final class Adopter {
        final List<Identified> found = new ArrayList<>();
        final List<LinuxPath> refound = new ArrayList<>();
        final List<LinuxPath> missing = new ArrayList<>();
        private final Kernel kernel;
        private final FileCalls files;
        private final LedgerState state;
        private final Identification identification;
        private final Set<FileIdentity> known = new HashSet<>();
        private final Map<LinuxPath, List<LinuxPath>> listed = new HashMap<>();

        Adopter(Kernel kernel, LedgerState state) {
            this.kernel = kernel;
            this.files = kernel.files();
            this.state = state;
            this.identification = new Identification(files);
            state.files().forEach(file -> known.add(file.identity()));
        }

        Adopter search() throws LinuxException {
            try (Arena arena = Arena.ofConfined()) {
                var buffer = new AlignedBuffer(arena, SCRATCH_BYTES);
                for (FileState file : state.files()) {
                    search(file, buffer);
                }
            }
            return this;
        }

        /** Under its first name, or beside it. */
        private void search(FileState file, AlignedBuffer buffer) throws LinuxException {
            if (isIt(file, file.firstPath(), buffer)) {
                return;
            }
            for (LinuxPath candidate : filesIn(file.firstPath().parent())) {
                if (isIt(file, candidate, buffer)) {
                    return;
                }
            }
            missing.add(file.firstPath());
        }

        /** Listed once, however many files are sought there. */
        private List<LinuxPath> filesIn(LinuxPath parent) throws LinuxException {
            List<LinuxPath> known = listed.get(parent);
            if (known != null) {
                return known;
            }
            var paths = new ArrayList<LinuxPath>();
            Optional<Fd> folder = files.open(Fd.CURRENT_DIRECTORY, parent, OpenHow.directory());
            if (folder.isPresent()) {
                try {
                    kernel.names().list(folder.get()).forEach(entry -> paths.add(parent.resolve(entry.name())));
                } finally {
                    files.close(folder.get());
                }
            }
            listed.put(parent, paths);
            return paths;
        }

        private boolean isIt(FileState file, LinuxPath candidate, AlignedBuffer buffer) throws LinuxException {
            boolean regular = files.status(Fd.CURRENT_DIRECTORY, candidate)
                    .filter(FileStatus::isRegular)
                    .isPresent();
            Optional<Fd> opened =
                    regular ? files.open(Fd.CURRENT_DIRECTORY, candidate, OpenHow.read()) : Optional.empty();
            if (opened.isEmpty()) {
                return false;
            }
            try {
                Fd fd = opened.get();
                FileIdentity identity = identification.identify(fd, files.status(fd));
                if (identity.equals(file.identity())) {
                    return true;
                }
                if (known.contains(identity) || !goesOn(file, fd, buffer)) {
                    return false;
                }
                known.add(identity);
                found.add(new Identified(file.file(), identity));
                refound.add(candidate);
                return true;
            } finally {
                files.close(opened.get());
            }
        }

        /** Whether the bytes before what was sealed are there. */
        private boolean goesOn(FileState file, Fd fd, AlignedBuffer buffer) throws LinuxException {
            boolean anySealed = false;
            for (RouteState route : file.routes()) {
                Progress progress = state.progress(file.file(), route.route()).orElseThrow();
                if (progress.sealed() > 0) {
                    anySealed = true;
                    if (Guard.at(files, fd, progress.sealed(), buffer) != progress.guard()) {
                        return false;
                    }
                }
            }
            return anySealed;
        }
    }
}
