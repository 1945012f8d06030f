package tailrace.core.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import tailrace.linux.LinuxPath;

class GlobTest {
    private static boolean matches(String pattern, String path) {
        return new Glob(pattern).matches(LinuxPath.of(path));
    }

    private static boolean mayMatchBelow(String pattern, String folder) {
        return new Glob(pattern).mayMatchBelow(LinuxPath.of(folder));
    }

    @Test
    void starsStayWithinAName() {
        assertThat(matches("/var/log/*.log", "/var/log/a.log")).isTrue();
        assertThat(matches("/var/log/*.log", "/var/log/.log")).isTrue();
        assertThat(matches("/var/log/*.log", "/var/log/x/a.log")).isFalse();
        assertThat(matches("/var/log/*.log", "/var/log/a.log.1")).isFalse();
        assertThat(matches("/var/*/a.log", "/var/x/a.log")).isTrue();
    }

    @Test
    void twoStarsAreAnyNumberOfFolders() {
        assertThat(matches("/var/log/**/*.log", "/var/log/a.log")).isTrue();
        assertThat(matches("/var/log/**/*.log", "/var/log/x/y/a.log")).isTrue();
        assertThat(matches("/var/**/log/*.log", "/var/log/log/a.log")).isTrue();
        assertThat(matches("/var/**", "/var/x/y")).isTrue();
        assertThat(matches("/var/**", "/var")).isFalse();
        assertThat(matches("/var/log/**/*.log", "/var/logs/a.log")).isFalse();
    }

    @Test
    void bracesAreAlternativesThatMayHoldFolders() {
        Glob glob = new Glob("/var/{log,spool/{a,b}}/*.{log,csv}");
        assertThat(glob.matches(LinuxPath.of("/var/log/x.csv"))).isTrue();
        assertThat(glob.matches(LinuxPath.of("/var/spool/b/x.log"))).isTrue();
        assertThat(glob.matches(LinuxPath.of("/var/spool/c/x.log"))).isFalse();
        assertThat(glob.root()).hasToString("/var");
    }

    @Test
    void setsAndQuestionMarksAndEscapes() {
        assertThat(matches("/l/app-[0-9].log", "/l/app-7.log")).isTrue();
        assertThat(matches("/l/app-[!0-9].log", "/l/app-7.log")).isFalse();
        assertThat(matches("/l/?.log", "/l/é.log")).isTrue();
        assertThat(matches("/l/?.log", "/l/ab.log")).isFalse();
        assertThat(matches("/l/\\*.log", "/l/*.log")).isTrue();
        assertThat(matches("/l/\\*.log", "/l/x.log")).isFalse();
        assertThat(matches("/l/a+b(c).log", "/l/a+b(c).log")).isTrue();
    }

    @Test
    void namesNeedNotBeUtf8() {
        LinuxPath odd = LinuxPath.ofBytes(new byte[] {'/', 'l', '/', (byte) 0xFF, '\n', '.', 'l', 'o', 'g'});
        assertThat(new Glob("/l/*.log").matches(odd)).isTrue();
        assertThat(new Glob("/l/??.log").matches(odd)).isTrue();
    }

    @Test
    void aPatternWithoutASlashInFrontMatchesInAnyFolder() {
        assertThat(matches("*.gz", "/var/log/x/a.gz")).isTrue();
        assertThat(matches("**/*.gz", "/a.gz")).isTrue();
        assertThat(matches("old/*.gz", "/var/old/a.gz")).isTrue();
        assertThat(matches("old/*.gz", "/var/old/x/a.gz")).isFalse();
    }

    @Test
    void theRootIsTheDeepestFolderWithoutSpecialCharacters() {
        assertThat(new Glob("/var/log/app/**/*.log").root()).hasToString("/var/log/app");
        assertThat(new Glob("/var/log/app.log").root()).hasToString("/var/log");
        assertThat(new Glob("/*.log").root()).hasToString("/");
    }

    @Test
    void onlyFoldersThatMayHoldMatchesAreWorthWatching() {
        assertThat(mayMatchBelow("/var/log/*/app/*.log", "/var/log")).isTrue();
        assertThat(mayMatchBelow("/var/log/*/app/*.log", "/var/log/x")).isTrue();
        assertThat(mayMatchBelow("/var/log/*/app/*.log", "/var/log/x/y")).isFalse();
        assertThat(mayMatchBelow("/var/log/*.log", "/var/log/x")).isFalse();
        assertThat(mayMatchBelow("/var/log/**/*.log", "/var/log/x/y/z")).isTrue();
    }

    @Test
    void malformedPatternsAreRefused() {
        for (String bad : new String[] {"", "/x/{a", "/x/[a", "/x/a\\", "/x/../y", "/x/[z-a]"}) {
            assertThatThrownBy(() -> new Glob(bad)).as(bad).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
