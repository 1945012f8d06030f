package tailrace.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LinuxPathTest {
    @Test
    void takesPathsApartAndJoinsThem() {
        LinuxPath path = LinuxPath.of("/var/log/app.log");
        assertThat(path.parent()).hasToString("/var/log");
        assertThat(path.fileName()).hasToString("app.log");
        assertThat(LinuxPath.of("/a").parent()).hasToString("/");
        assertThat(LinuxPath.of("a").parent()).hasToString("");
        assertThat(LinuxPath.of("/").resolve("a")).hasToString("/a");
        assertThat(LinuxPath.of("a").resolve("b/c")).hasToString("a/b/c");
        assertThat(LinuxPath.of("a").resolve("/b")).hasToString("/b");
    }

    @Test
    void aDirectoryIsNoPrefixOfItsSiblings() {
        assertThat(LinuxPath.of("/var/logs").startsWith(LinuxPath.of("/var/log")))
                .isFalse();
        assertThat(LinuxPath.of("/var/log/x").startsWith(LinuxPath.of("/var/log")))
                .isTrue();
        assertThat(LinuxPath.of("/x").startsWith(LinuxPath.of("/"))).isTrue();
        assertThat(LinuxPath.of("/x/y").relativeTo(LinuxPath.of("/"))).hasToString("x/y");
        assertThat(LinuxPath.of("/x/y").relativeTo(LinuxPath.of("/x"))).hasToString("y");
    }

    @Test
    void aNulByteIsRefused() {
        assertThatThrownBy(() -> LinuxPath.of("a\0b")).isInstanceOf(IllegalArgumentException.class);
    }
}
