package tailrace.core.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tailrace.core.batch.Codec.Format;
import tailrace.linux.LinuxPath;

class CodecTest {
    @Test
    void aPartitionRemembersIt() {
        Codec zstd = Codec.of(Format.ZSTD, 9);
        assertThat(Codec.ofPartition(zstd.mark("app/x"))).isEqualTo(zstd);
        assertThat(Codec.ofPartition(Codec.NONE.mark("app/x"))).isEqualTo(Codec.NONE);
        assertThat(Codec.NONE.mark("app/x")).isEqualTo("app/x");
        assertThat(zstd.mark("a")).isNotEqualTo(Codec.of(Format.ZSTD).mark("a"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.gz", "app.log.2.gz", "app.log.gz.1", "a.zst", "a.parquet", "a.tgz", "a.gz-20261121"})
    void compressedFilesAreLeftAsTheyAre(String name) {
        assertThat(Codec.of(Format.GZIP).forFile(LinuxPath.of(name))).isEqualTo(Codec.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"app.log", "app.log.1", "gz", "a.gzip.log", "zst"})
    void othersAreNot(String name) {
        assertThat(Codec.of(Format.GZIP).forFile(LinuxPath.of(name))).isEqualTo(Codec.of(Format.GZIP));
    }

    @Test
    void levelsThatAFormatDoesNotHaveAreRefused() {
        assertThatThrownBy(() -> Codec.of(Format.GZIP, 13))
                .hasMessage("compress_level of gzip is from 1 to 12, not 13");
        assertThatThrownBy(() -> Codec.of(Format.ZSTD, 0)).hasMessage("compress_level of zstd is from 1 to 19, not 0");
        assertThatThrownBy(() -> Codec.of(Format.NONE, 3)).hasMessageContaining("needs compress");
    }
}
