package tailrace.core.track;

import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What makes a file the heir of another that was truncated: it is the copy of what that one had in an epoch.
 *
 * @param original the other file's number
 * @param sizeBytes how much of it was copied
 */
public record Inheritance(int original, int epoch, long sizeBytes) {
    /** Whether it is a copy of what a file had in an epoch. */
    public boolean isFrom(int file, int ofEpoch) {
        return file == original && ofEpoch == epoch;
    }

    /**
     * Sealed bytes of an epoch that has ended could not be delivered any more: those that an heir has are its to deliver.
     *
     * @param inherited is told the heir, if there is one
     * @return those that nobody has, and which are counted as lost now
     */
    public static Optional<Range> settle(
            Collection<TrackedFile> files,
            TrackedFile original,
            Route route,
            Progress progress,
            int epoch,
            Range range,
            Consumer<TrackedFile> inherited) {
        for (TrackedFile file : files) {
            Inheritance inheritance = file.inheritance();
            Progress heir = file.on(route);
            if (inheritance != null
                    && heir != null
                    && inheritance.isFrom(original.number(), epoch)
                    && range.from() < inheritance.sizeBytes) {
                heir.inherit(progress, new Range(range.from(), Math.min(range.to(), inheritance.sizeBytes)));
                inherited.accept(file);
                return range.to() <= inheritance.sizeBytes
                        ? Optional.empty()
                        : lose(progress, new Range(inheritance.sizeBytes, range.to()));
            }
        }
        return lose(progress, range);
    }

    private static Optional<Range> lose(Progress progress, Range range) {
        progress.outstandingLost(range.lengthBytes());
        return Optional.of(range);
    }
}
