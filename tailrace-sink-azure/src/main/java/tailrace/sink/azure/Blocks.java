package tailrace.sink.azure;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import com.azure.storage.blob.models.AccessTier;
import com.azure.storage.blob.models.BlobStorageException;
import com.azure.storage.blob.models.Block;
import com.azure.storage.blob.models.BlockListType;
import com.azure.storage.blob.options.BlockBlobCommitBlockListOptions;
import com.azure.storage.blob.options.BlockBlobStageBlockOptions;
import com.azure.storage.blob.specialized.BlockBlobClient;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tailrace.core.deliver.BatchContent;

/**
 * Big batches in blocks, several at a time. The id of a block names its place and its checksum, so those that an attempt
 * left are found again, and only the others are sent; nothing about it needs to be remembered here. Blocks become a blob
 * only when all are there, and only if the name is free; if never, Azure discards them after a week.
 *
 * @see <a href="https://learn.microsoft.com/rest/api/storageservices/put-block">Put Block</a>
 */
final class Blocks implements AutoCloseable {
    /** Azure takes no more. */
    static final int MOST_BLOCKS = 50_000;

    private final long partBytes;
    private final ExecutorService pool;

    Blocks(long partBytes, int concurrency) {
        this.partBytes = partBytes;
        this.pool = Executors.newFixedThreadPool(
                concurrency,
                Thread.ofPlatform().name("azure-block-", 0).daemon().factory());
    }

    private record Piece(String id, long from, long to) {}

    void put(
            BlockBlobClient blob,
            BatchContent content,
            Optional<BatchContent.Sums> sums,
            Map<String, String> metadata,
            @Nullable AccessTier tier) {
        List<Piece> pieces = pieces(content.lengthBytes(), sums);
        Map<String, Long> there = sums.isPresent() ? staged(blob) : Map.of();
        var sent = new ArrayList<CompletableFuture<Void>>();
        for (Piece piece : pieces) {
            if (!Long.valueOf(piece.to - piece.from).equals(there.get(piece.id))) {
                sent.add(CompletableFuture.runAsync(() -> send(blob, piece, content, sums.isPresent()), pool));
            }
        }
        join(sent);
        blob.commitBlockListWithResponse(
                new BlockBlobCommitBlockListOptions(
                                pieces.stream().map(Piece::id).toList())
                        .setMetadata(metadata)
                        .setTier(tier)
                        .setRequestConditions(AzureStore.createOnly()),
                null,
                Context.NONE);
    }

    private List<Piece> pieces(long lengthBytes, Optional<BatchContent.Sums> sums) {
        var pieces = new ArrayList<Piece>();
        for (long from = 0; from < lengthBytes; from += partBytes) {
            int index = pieces.size();
            String name = "%05d-%08x"
                    .formatted(index, sums.map(all -> all.parts().get(index)).orElse(0));
            String id = Base64.getEncoder().encodeToString(name.getBytes(US_ASCII));
            pieces.add(new Piece(id, from, Math.min(lengthBytes, from + partBytes)));
        }
        return pieces;
    }

    /** What an earlier attempt has left, with its length. */
    private static Map<String, Long> staged(BlockBlobClient blob) {
        var staged = new HashMap<String, Long>();
        try {
            for (Block block : blob.listBlocks(BlockListType.UNCOMMITTED).getUncommittedBlocks()) {
                staged.put(block.getName(), block.getSizeLong());
            }
        } catch (BlobStorageException e) {
            if (!Failures.saysThatThereIsNone(e)) {
                throw e;
            }
        }
        return staged;
    }

    private static void send(BlockBlobClient blob, Piece piece, BatchContent content, boolean summed) {
        var data = BinaryData.fromStream(content.stream(piece.from, piece.to), piece.to - piece.from);
        var options = new BlockBlobStageBlockOptions(piece.id, data);
        if (summed) {
            options.setContentMd5(Md5.of(content, piece.from, piece.to));
        }
        blob.stageBlockWithResponse(options, null, Context.NONE);
    }

    /** Waits for all, so that none reads from the batch any more; the first failure counts. */
    private static void join(List<CompletableFuture<Void>> sent) {
        var failed = new ArrayList<RuntimeException>();
        for (CompletableFuture<Void> one : sent) {
            try {
                one.join();
            } catch (CompletionException e) {
                failed.add(e.getCause() instanceof RuntimeException cause ? cause : e);
            }
        }
        if (!failed.isEmpty()) {
            throw failed.getFirst();
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
