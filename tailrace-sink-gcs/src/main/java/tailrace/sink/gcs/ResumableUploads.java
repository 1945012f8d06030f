package tailrace.sink.gcs;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.SourceChangedException;

/**
 * Big batches in chunks, of each of which the server says how much it has kept. An attempt that was cut short begins anew:
 * batches are small beside what a wrong guess about a chunk would cost. What is left of it never becomes an object, and
 * expires.
 *
 * @see <a href="https://cloud.google.com/storage/docs/performing-resumable-uploads">Resumable uploads</a>
 */
final class ResumableUploads {
    private static final int RESUME_INCOMPLETE = 308;
    private static final int GONE = 410;

    private final Api api;
    private final Objects objects;
    private final long partBytes;

    ResumableUploads(Api api, Objects objects, long partBytes) {
        this.api = api;
        this.objects = objects;
        this.partBytes = partBytes;
    }

    /** @return false if the key exists */
    boolean create(String batch, byte[] metadata, BatchContent content)
            throws DeliveryException, SourceChangedException {
        long length = content.lengthBytes();
        Optional<URI> session = begin(metadata, length);
        if (session.isEmpty()) {
            return false;
        }
        Progress progress = new Progress(Answer.MORE, 0);
        while (progress.answer == Answer.MORE) {
            progress = send(session.get(), progress.at, Math.min(length, progress.at + partBytes), content);
        }
        if (progress.answer == Answer.LOST) {
            throw DeliveryException.transientFailure(
                    objects.name() + ": the server has forgotten an upload", new IllegalStateException(batch));
        }
        return progress.answer == Answer.DONE;
    }

    private enum Answer {
        DONE,
        EXISTS,
        MORE,
        LOST
    }

    /** @param at so many bytes are there, if more are wanted */
    private record Progress(Answer answer, long at) {
        static Progress of(HttpResponse<String> response) {
            return switch (response.statusCode()) {
                case Api.PRECONDITION_FAILED -> new Progress(Answer.EXISTS, 0);
                case Api.NOT_FOUND, GONE -> new Progress(Answer.LOST, 0);
                case RESUME_INCOMPLETE ->
                    new Progress(
                            Answer.MORE,
                            response.headers()
                                    .firstValue("Range")
                                    .map(range -> Long.parseLong(range.substring(range.indexOf('-') + 1)) + 1)
                                    .orElse(0L));
                default -> new Progress(Answer.DONE, 0);
            };
        }
    }

    /** Empty if the key exists. */
    private Optional<URI> begin(byte[] metadata, long length) throws DeliveryException, SourceChangedException {
        HttpResponse<String> answer = api.send(
                HttpRequest.newBuilder(objects.upload("uploadType=resumable&ifGenerationMatch=0"))
                        .header("Content-Type", "application/json; charset=UTF-8")
                        .header("X-Upload-Content-Type", "application/octet-stream")
                        .header("X-Upload-Content-Length", Long.toString(length))
                        .POST(HttpRequest.BodyPublishers.ofString(new String(metadata, UTF_8))),
                HttpResponse.BodyHandlers.ofString(),
                Api.PRECONDITION_FAILED);
        if (answer.statusCode() == Api.PRECONDITION_FAILED) {
            return Optional.empty();
        }
        return Optional.of(answer.headers()
                .firstValue("Location")
                .map(URI::create)
                .orElseThrow(() -> DeliveryException.transientFailure(
                        objects.name() + " began an upload and did not say where",
                        new IllegalStateException("no Location"))));
    }

    private Progress send(URI session, long from, long to, BatchContent content)
            throws DeliveryException, SourceChangedException {
        HttpRequest.BodyPublisher body = HttpRequest.BodyPublishers.fromPublisher(
                HttpRequest.BodyPublishers.ofInputStream(() -> content.stream(from, to)), to - from);
        return Progress.of(api.send(
                HttpRequest.newBuilder(session)
                        .header("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + content.lengthBytes())
                        .PUT(body),
                HttpResponse.BodyHandlers.ofString(),
                RESUME_INCOMPLETE,
                Api.PRECONDITION_FAILED,
                Api.NOT_FOUND,
                GONE));
    }
}
