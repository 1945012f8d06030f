package tailrace.sink.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.batch.Codec;
import tailrace.core.engine.Status;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;
import tailrace.testkit.RunningEngine;

/** What a server rejects for good: kept, and counted as such. */
class DeadLettersTest {
    @TempDir
    Path folder;

    private Path log;

    @BeforeEach
    void write() throws IOException {
        log = Files.createDirectory(folder.resolve("in")).resolve("a.log");
        Files.writeString(log, "first\n");
    }

    private RunningEngine.Plan plan(int port) {
        return new RunningEngine.Plan(folder.resolve("state"))
                .include(folder.resolve("in") + "/*.log")
                .toSink("http", Map.of("url", "http://127.0.0.1:" + port + "/logs"))
                .batch(1 << 20, Duration.ofMillis(20));
    }

    private List<Path> letters(String ending) throws IOException {
        Path letters = folder.resolve("letters");
        if (!Files.exists(letters)) {
            return List.of();
        }
        try (var files = Files.list(letters)) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        }
    }

    @Test
    void aRejectedBatchIsKeptAndCountedAndTheNextOneIsDelivered() throws IOException {
        try (var server = new HttpServerForTests(null, false);
                var proxy = new FaultProxy(server.port(), n -> n == 0 ? new Fault.Answer(400, "") : new Fault.None())) {
            try (RunningEngine engine =
                    plan(proxy.port()).deadLetters(folder.resolve("letters")).start()) {
                engine.await("the letter", status -> status.books().lost() == 6);
                Files.writeString(log, "second\n", StandardOpenOption.APPEND);
                engine.awaitDelivered(7);
                Status status = engine.status();
                assertThat(status.books().pending()).isZero();
                assertThat(status.books().balance()).isTrue();
                assertThat(engine.count(Event.DEAD_LETTERED)).isEqualTo(1);
            }
            assertThat(server.taken().values())
                    .singleElement()
                    .satisfies(
                            batch -> assertThat(new String(batch.body(), UTF_8)).isEqualTo("second\n"));
            assertThat(letters(".letter"))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter).hasContent("first\n"));
            ManifestEntry manifest =
                    ManifestCodec.fromLine(Files.readString(letters(".json").getFirst()));
            assertThat(manifest.extents()).singleElement().satisfies(part -> {
                assertThat(part.file()).hasToString(log.toString());
                assertThat(part.to()).isEqualTo(6);
            });

            try (RunningEngine again = plan(server.port()).start()) {
                again.await(
                        "the books after a restart", status -> status.books().lost() == 6);
                assertThat(again.drain(Duration.ofSeconds(20))).isTrue();
                assertThat(again.finalStatus().books().delivered()).isEqualTo(7);
            }
            assertThat(server.taken()).hasSize(1);
        }
    }

    @Test
    void aLetterHoldsTheBytesOfTheFilesAndSaysSoEvenIfTheBatchWasCompressed() throws IOException {
        try (var server = new HttpServerForTests(null, false);
                var proxy = new FaultProxy(server.port(), n -> new Fault.Answer(400, ""));
                RunningEngine engine = plan(proxy.port())
                        .compress(Codec.of(Codec.Format.ZSTD))
                        .deadLetters(folder.resolve("letters"))
                        .start()) {
            engine.await("the letter", status -> status.books().lost() == 6);
        }
        assertThat(letters(".letter").getFirst()).hasContent("first\n");
        ManifestEntry manifest =
                ManifestCodec.fromLine(Files.readString(letters(".json").getFirst()));
        assertThat(manifest.encoding()).isEmpty();
        assertThat(manifest.lengthBytes()).isEqualTo(6);
    }

    @Test
    void whatAPersonCanMendIsNoDeadLetter() throws IOException {
        try (var server = new HttpServerForTests(null, false);
                var proxy = new FaultProxy(server.port(), n -> n == 0 ? new Fault.Answer(401, "") : new Fault.None());
                RunningEngine engine = plan(proxy.port())
                        .deadLetters(folder.resolve("letters"))
                        .start()) {
            engine.await("a refusal", status -> engine.count(Event.DELIVERY_REFUSED) > 0);
            assertThat(engine.status().books().pending()).isEqualTo(6);
            assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
            assertThat(letters("")).isEmpty();
        }
    }

    @Test
    void withoutAFolderARejectedBatchStaysPending() throws IOException {
        try (var server = new HttpServerForTests(null, false);
                var proxy = new FaultProxy(server.port(), n -> new Fault.Answer(413, ""));
                RunningEngine engine = plan(proxy.port()).start()) {
            engine.await("a refusal", status -> engine.count(Event.DELIVERY_REFUSED) > 0);
            assertThat(engine.status().books().pending()).isEqualTo(6);
        }
    }

    @Test
    void aFolderThatCannotBeWrittenLosesNothing() throws IOException {
        Files.writeString(folder.resolve("letters"), "in the way");
        try (var server = new HttpServerForTests(null, false);
                var proxy = new FaultProxy(server.port(), n -> n == 0 ? new Fault.Answer(400, "") : new Fault.None());
                RunningEngine engine = plan(proxy.port())
                        .deadLetters(folder.resolve("letters"))
                        .start()) {
            engine.await("a refusal", status -> engine.count(Event.DELIVERY_REFUSED) > 0);
            assertThat(engine.status().books().lost()).isZero();
            assertThat(engine.drain(Duration.ofSeconds(20))).isTrue();
        }
    }
}
