package tailrace.core.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import tailrace.linux.LinuxPath;

class KeyTemplateTest {
    private static String render(String template, String path) {
        return new KeyTemplate(template)
                .render(
                        LinuxPath.of(path),
                        "app",
                        "web-1",
                        new KeyTemplate.Seal(
                                new BatchId("0a1b2c3d", 7, 42), Instant.parse("2026-11-21T04:05:06Z"), 512, 70_000))
                .toString();
    }

    @Test
    void everyVariableIsFilledIn() {
        assertThat(render("{source}/{yyyy}/{MM}/{dd}/{HH}{mm}/{host}-{batch}{ext}", "x/app.log"))
                .isEqualTo("app/2026/11/21/0405/web-1-0a1b2c3d-00007-000000042.log");
        assertThat(render("{path}|{dir}|{file}|{stem}", "x/y/app.log")).isEqualTo("x/y/app.log|x/y|app.log|app");
        assertThat(render("{file}.{from}-{to}", "app.log")).isEqualTo("app.log.0000000000512-0000000070000");
        assertThat(render("dt={yyyy}-{MM}-{dd}/hour={HH}/{batch}", "a")).startsWith("dt=2026-11-21/hour=04/");
    }

    @Test
    void theNumberOfARotationIsNoExtension() {
        assertThat(render("{stem}{ext}", "app.log.1")).isEqualTo("app.log");
        assertThat(render("{ext}", "app.log-20261121")).isEqualTo(".log");
        assertThat(render("{ext}", "README")).isEmpty();
        assertThat(render("{ext}", ".hidden")).isEmpty();
    }

    @Test
    void filesShareABatchUnlessTheKeyTellsThemApart() {
        var packed = new KeyTemplate("{host}-{batch}{ext}");
        assertThat(packed.partition(LinuxPath.of("a.log"))).isEqualTo(packed.partition(LinuxPath.of("x/b.log")));
        assertThat(packed.partition(LinuxPath.of("a.log"))).isNotEqualTo(packed.partition(LinuxPath.of("a.csv")));
        var each = new KeyTemplate("{path}/{batch}");
        assertThat(each.partition(LinuxPath.of("a.log"))).isNotEqualTo(each.partition(LinuxPath.of("b.log")));
    }

    @Test
    void idsSortInTheOrderOfSealing() {
        assertThat(new BatchId("0a1b2c3d", 7, 99).toString())
                .isLessThan(new BatchId("0a1b2c3d", 7, 100).toString())
                .isLessThan(new BatchId("0a1b2c3d", 8, 1).toString());
    }

    @Test
    void whatIsNoTemplateIsRefusedInWords() {
        assertThatThrownBy(() -> new KeyTemplate("{nope}")).hasMessageContaining("{nope} is unknown");
        assertThatThrownBy(() -> new KeyTemplate("{batch")).hasMessageContaining("not paired");
        assertThatThrownBy(() -> new KeyTemplate("../{batch}")).hasMessageContaining("'..' is not allowed");
        assertThatThrownBy(() -> new KeyTemplate("")).hasMessageContaining("empty");
    }
}
