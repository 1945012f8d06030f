package tailrace.sink.s3;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompletedMultipartUpload;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import tailrace.core.deliver.BatchContent;
import tailrace.core.deliver.SourceChangedException;
import tailrace.core.store.Base64Crc;

/**
 * Big batches in parts, several at a time. An attempt that was cut short is found again on the server, by the batch's
 * key, and only the parts that are missing are sent; nothing about it needs to be remembered here. Parts become an object
 * only when all are there, and only if the key is free.
 */
final class Multipart implements AutoCloseable {
    /** S3 takes no more parts. */
    static final int MAX_PARTS = 10_000;

    private final ObjectForm form;
    private final long partBytes;
    private final ExecutorService pool;

    Multipart(ObjectForm form, long partBytes, int concurrency) {
        this.form = form;
        this.partBytes = partBytes;
        this.pool = Executors.newFixedThreadPool(
                concurrency, Thread.ofPlatform().name("s3-part-", 0).daemon().factory());
    }

    /** One part as it must be. */
    private record Piece(int number, long from, long to, Optional<String> crc) {
        boolean is(Part part) {
            return part.size() == to - from && (crc.isEmpty() || crc.get().equals(part.checksumCRC32C()));
        }
    }

    /**
     * Puts a batch.
     *
     * @throws S3Exception 412 if the key exists
     */
    void put(S3Client client, String key, String batch, BatchContent content, Optional<BatchContent.Sums> sums) {
        List<Piece> pieces = pieces(content.lengthBytes(), sums);
        String upload = begun(client, key).orElseGet(() -> begin(client, key, batch, sums.isPresent()));
        try {
            Map<Integer, Part> there = partsOf(client, key, upload);
            var sent = new ArrayList<CompletableFuture<CompletedPart>>();
            for (Piece piece : pieces) {
                Part known = there.get(piece.number);
                sent.add(
                        known != null && piece.is(known)
                                ? CompletableFuture.completedFuture(completed(piece, known.eTag()))
                                : CompletableFuture.supplyAsync(() -> send(client, key, upload, piece, content), pool));
            }
            complete(client, key, upload, content.lengthBytes(), join(sent), sums);
        } catch (SdkException e) {
            boolean isThere = e instanceof S3Exception answer && answer.statusCode() == Failures.PRECONDITION_FAILED;
            if (isThere || SourceChangedException.behind(e).isPresent()) {
                abort(client, key, upload); // it will never be completed
            }
            throw e;
        }
    }

    private List<Piece> pieces(long lengthBytes, Optional<BatchContent.Sums> sums) {
        var pieces = new ArrayList<Piece>();
        for (long from = 0; from < lengthBytes; from += partBytes) {
            int index = pieces.size();
            pieces.add(new Piece(
                    index + 1,
                    from,
                    Math.min(lengthBytes, from + partBytes),
                    sums.map(all -> Base64Crc.text(all.parts().get(index)))));
        }
        return pieces;
    }

    private Optional<String> begun(S3Client client, String key) {
        return client.listMultipartUploads(r -> r.bucket(form.bucket()).prefix(key)).uploads().stream()
                .filter(upload -> upload.key().equals(key))
                .map(MultipartUpload::uploadId)
                .findFirst();
    }

    private String begin(S3Client client, String key, String batch, boolean summed) {
        var request = form.multipart(key).metadata(Map.of(ObjectForm.BATCH, batch));
        if (summed) {
            request.checksumAlgorithm(ChecksumAlgorithm.CRC32_C).checksumType(ChecksumType.FULL_OBJECT);
        }
        return client.createMultipartUpload(request.build()).uploadId();
    }

    private Map<Integer, Part> partsOf(S3Client client, String key, String upload) {
        var parts = new HashMap<Integer, Part>();
        client.listPartsPaginator(r -> r.bucket(form.bucket()).key(key).uploadId(upload))
                .parts()
                .forEach(part -> parts.put(part.partNumber(), part));
        return parts;
    }

    private CompletedPart send(S3Client client, String key, String upload, Piece piece, BatchContent content) {
        long length = piece.to - piece.from;
        UploadPartRequest.Builder request = UploadPartRequest.builder()
                .bucket(form.bucket())
                .key(key)
                .uploadId(upload)
                .partNumber(piece.number);
        piece.crc.ifPresent(request::checksumCRC32C);
        RequestBody body =
                RequestBody.fromContentProvider(() -> content.stream(piece.from, piece.to), length, form.contentType());
        return completed(piece, client.uploadPart(request.build(), body).eTag());
    }

    private static CompletedPart completed(Piece piece, String tag) {
        return CompletedPart.builder()
                .partNumber(piece.number)
                .eTag(tag)
                .checksumCRC32C(piece.crc.orElse(null))
                .build();
    }

    /** Waits for all, so that none reads from the batch any more; the first failure counts. */
    private static List<CompletedPart> join(List<CompletableFuture<CompletedPart>> sent) {
        var parts = new ArrayList<CompletedPart>();
        var failed = new ArrayList<RuntimeException>();
        for (CompletableFuture<CompletedPart> part : sent) {
            try {
                parts.add(part.join());
            } catch (CompletionException e) {
                failed.add(e.getCause() instanceof RuntimeException cause ? cause : e);
            }
        }
        if (!failed.isEmpty()) {
            throw failed.getFirst();
        }
        return parts;
    }

    private void complete(
            S3Client client,
            String key,
            String upload,
            long lengthBytes,
            List<CompletedPart> parts,
            Optional<BatchContent.Sums> sums) {
        CompleteMultipartUploadRequest.Builder request = CompleteMultipartUploadRequest.builder()
                .bucket(form.bucket())
                .key(key)
                .uploadId(upload)
                .mpuObjectSize(lengthBytes)
                .multipartUpload(CompletedMultipartUpload.builder().parts(parts).build());
        form.ifNoneMatch().ifPresent(request::ifNoneMatch);
        sums.ifPresent(
                all -> request.checksumCRC32C(Base64Crc.text(all.whole())).checksumType(ChecksumType.FULL_OBJECT));
        client.completeMultipartUpload(request.build());
    }

    /** Ends what an attempt has begun under a key, if one has. */
    void abandon(S3Client client, String key) {
        begun(client, key).ifPresent(upload -> abort(client, key, upload));
    }

    private void abort(S3Client client, String key, String upload) {
        client.abortMultipartUpload(r -> r.bucket(form.bucket()).key(key).uploadId(upload));
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
