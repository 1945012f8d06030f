package tailrace.core.deliver;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.OptionalInt;
import tailrace.core.batch.Batch;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.linux.Fd;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;

/**
 * Batches that a sink has rejected for good: each in a file of its bytes as they were, {@code BATCH.letter}, with its
 * manifest beside it, {@code BATCH.json}. A letter has its name only when it is whole and durable.
 */
final class DeadLetters {
    private static final int FOLDER_MODE = 0750;
    private static final int FILE_MODE = 0640;

    private final Kernel kernel;
    private final FileCalls files;
    private final LinuxPath folder;
    private final String host;

    /** @param folder made if it is not there; the one above it must be */
    DeadLetters(Kernel kernel, LinuxPath folder, String host) {
        this.kernel = kernel;
        this.files = kernel.files();
        this.folder = folder;
        this.host = host;
    }

    /**
     * Writes a letter.
     *
     * @return where it is
     * @throws LinuxException of the folder: EACCES, ENOSPC, ...
     */
    LinuxPath write(Batch batch, BatchContent content)
            throws LinuxException, DeliveryException, SourceChangedException {
        Fd directory = open();
        try {
            LinuxPath letter = LinuxPath.of(batch.id() + ".letter");
            LinuxPath unfinished = LinuxPath.of("." + letter);
            kernel.names().unlink(directory, unfinished); // left by an attempt that was cut short
            OptionalInt crc = write(directory, unfinished, file -> content.transferTo(file, 0));
            byte[] line = ManifestCodec.toLine(ManifestEntry.ofPlain(host, batch, content.lengthBytes(), crc));
            LinuxPath manifest = LinuxPath.of(batch.id() + ".json");
            kernel.names().unlink(directory, manifest);
            write(directory, manifest, file -> {
                try (Arena arena = Arena.ofConfined()) {
                    files.writeFully(file, arena.allocateFrom(ValueLayout.JAVA_BYTE, line));
                }
                return crc;
            });
            kernel.names().rename(directory, unfinished, directory, letter);
            files.fsync(directory);
            return folder.resolve(letter);
        } finally {
            files.close(directory);
        }
    }

    private Fd open() throws LinuxException {
        kernel.names().mkdir(Fd.CURRENT_DIRECTORY, folder, FOLDER_MODE);
        return files.open(Fd.CURRENT_DIRECTORY, folder, OpenHow.directory()).orElseThrow();
    }

    private interface Filler {
        OptionalInt fill(Fd file) throws LinuxException, DeliveryException, SourceChangedException;
    }

    private OptionalInt write(Fd directory, LinuxPath name, Filler filler)
            throws LinuxException, DeliveryException, SourceChangedException {
        Fd file = files.open(directory, name, OpenHow.createNew(FILE_MODE)).orElseThrow();
        try {
            OptionalInt result = filler.fill(file);
            files.fdatasync(file);
            return result;
        } finally {
            files.close(file);
        }
    }
}
