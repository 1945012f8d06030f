package tailrace.core.manifest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import tailrace.linux.Errno;
import tailrace.linux.Fd;
import tailrace.linux.FileStatus;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/** A file sink's folder. */
public final class FolderArchive implements Archive {
    private final Kernel kernel;
    private final Path folder;
    private final Fd directory;

    /** @throws IOException if the folder does not exist */
    public FolderArchive(Kernel kernel, Path folder) throws IOException {
        this.kernel = kernel;
        this.folder = folder;
        this.directory = kernel.files()
                .open(Fd.CURRENT_DIRECTORY, LinuxPath.of(folder.toString()), OpenHow.directory())
                .orElseThrow(() -> new IOException("the folder " + folder + " does not exist"));
    }

    @Override
    public String name() {
        return folder.toString();
    }

    @Override
    public List<Manifest> manifests() throws IOException {
        Path manifests = folder.resolve(MANIFESTS);
        if (!Files.isDirectory(manifests)) {
            throw new IOException("there are no manifests in " + manifests + ": is this the folder of a file sink?");
        }
        return read(manifests);
    }

    @Override
    public List<Manifest> finalManifests() throws IOException {
        Path manifests = folder.resolve(FINAL_MANIFESTS);
        return Files.isDirectory(manifests) ? read(manifests) : List.of();
    }

    private static List<Manifest> read(Path manifests) throws IOException {
        var all = new ArrayList<Manifest>();
        try (var files = Files.newDirectoryStream(manifests, "*.jsonl")) {
            for (Path file : files) {
                // a line that is torn within a character is no text, which readString would refuse for the whole file
                String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
                all.add(new Manifest(file.getFileName().toString(), List.of(text.split("\n", -1))));
            }
        }
        return all;
    }

    @Override
    public OptionalLong lengthOf(LinuxPath key) throws IOException {
        try {
            return kernel.files().status(directory, key).filter(FileStatus::isRegular).stream()
                    .mapToLong(FileStatus::sizeBytes)
                    .findFirst();
        } catch (LinuxException e) {
            if (e.errno() == Errno.ENAMETOOLONG || e.errno() == Errno.ENOTDIR || e.errno() == Errno.ELOOP) {
                return OptionalLong.empty(); // no object can have this name
            }
            throw e;
        }
    }

    @Override
    public OptionalInt crc32c(LinuxPath key, long position, long lengthBytes) throws IOException {
        Optional<Fd> object = kernel.files().open(directory, key, OpenHow.read());
        if (object.isEmpty()) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(Checksum.crc32c(kernel.files(), object.get(), position, lengthBytes));
        } finally {
            kernel.files().close(object.get());
        }
    }

    @Override
    public void close() throws IOException {
        kernel.files().close(directory);
    }
}
