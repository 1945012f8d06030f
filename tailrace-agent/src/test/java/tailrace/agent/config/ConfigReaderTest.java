package tailrace.agent.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tailrace.core.batch.RecordRules;
import tailrace.core.deliver.Integrity;
import tailrace.core.engine.EngineSettings.RouteSettings;
import tailrace.core.watch.Encoding;
import tailrace.core.watch.Framing;

class ConfigReaderTest {
    private static final String GOOD = """
        state: /var/lib/tailrace            # ledger and pins
        sources:
          app:
            include: [/var/log/app/**/*.log]
            exclude: ['**/*.gz']
        sinks:
          archive: {type: file, path: /backup/app}
        routes:
          - from: app
            to: archive
            batch: {bytes: 64MiB, age: 10s}
            compress: none
            key: '{source}/{yyyy}/{MM}/{dd}/{HH}/{host}-{batch}{ext}'
        drain: {timeout: 25s}
        admin: {listen: 127.0.0.1:9660}
        """;

    private final Map<String, String> environment = Map.of("LOGS", "/srv/logs", "EMPTY", "");
    private final ConfigReader reader = new ConfigReader(environment::get, "thishost", 100, Set.of());

    private List<String> problems(String yaml) {
        try {
            reader.read("test", yaml);
            return List.of();
        } catch (ConfigException e) {
            return e.problems();
        }
    }

    @Test
    void theExampleOfTheDesignIsUnderstood() throws ConfigException {
        AgentConfig config = reader.read("test", GOOD);
        assertThat(config.engine().state()).hasToString("/var/lib/tailrace");
        assertThat(config.engine().host()).isEqualTo("thishost");
        assertThat(config.drainTimeout()).isEqualTo(Duration.ofSeconds(25));
        RouteSettings route = config.engine().routes().getFirst();
        assertThat(route.name()).isEqualTo("app>archive");
        assertThat(route.batchBytes()).isEqualTo(64 << 20);
        assertThat(route.batchAge()).isEqualTo(Duration.ofSeconds(10));
        assertThat(route.integrity()).isEqualTo(Integrity.CRC32C);
        assertThat(config.admin()).map(InetSocketAddress::getPort).contains(9660);
        assertThat(config.notes()).isEmpty();
    }

    @Test
    void defaultsAreThoseOfTheDocumentation() throws ConfigException {
        AgentConfig config = reader.read("test", """
            sources: {app: {include: /var/log/*.log}}
            sinks: {archive: {type: file, path: /backup}, mirror: {type: file, path: /m, layout: append}, peer: {type: tcp, host: h, port: 9}}
            routes: [{from: app, to: archive}, {from: app, to: mirror}, {from: app, to: peer}]
            """);
        List<RouteSettings> routes = config.engine().routes();
        assertThat(config.engine().state()).hasToString("/var/lib/tailrace");
        assertThat(config.drainTimeout()).isEqualTo(Duration.ofSeconds(25));
        assertThat(routes).allSatisfy(route -> {
            assertThat(route.batchBytes()).isEqualTo(64 << 20);
            assertThat(route.batchAge()).isEqualTo(Duration.ofSeconds(10));
            assertThat(route.flushPartialAfter()).isEqualTo(Duration.ofSeconds(5));
        });
        assertThat(routes)
                .extracting(RouteSettings::key)
                .containsExactly("{source}/{yyyy}/{MM}/{dd}/{HH}/{host}-{batch}{ext}", "{path}", "{source}/{batch}");
        assertThat(routes.getFirst().sink().values().values())
                .containsAllEntriesOf(Map.of("layout", "objects", "durability", "fsync", "concurrency", 4));
        assertThat(routes.getLast().sink().values().values())
                .containsAllEntriesOf(Map.of("framing", "batch", "connections", 1, "timeout", Duration.ofSeconds(30)));
    }

    @Test
    void theEnvironmentIsFilledIn() throws ConfigException {
        String yaml = GOOD.replace("/var/log/app/**/*.log", "'${LOGS}/${NAME:-web}/**/*.log'")
                .replace("64MiB", "'${EMPTY:-1MiB}'");
        RouteSettings route = reader.read("test", yaml).engine().routes().getFirst();
        assertThat(route.source().includes().getFirst()).hasToString("/srv/logs/web/**/*.log");
        assertThat(route.batchBytes()).isEqualTo(1 << 20);
        assertThat(problems(GOOD.replace("/var/log/app/**/*.log", "'${NOT_SET}/*'")))
                .singleElement()
                .asString()
                .contains("line 4")
                .contains("NOT_SET is not set");
        assertThat(problems(GOOD.replace("/var/log/app/**/*.log", "'${not a name}'")))
                .singleElement()
                .asString()
                .contains("malformed");
    }

    @Test
    void whatIsWrongIsNamedWithItsLineAndTheRemedy() {
        refused(GOOD, "exclude:", "exclud:", "line 5: unknown key 'sources.app.exclud'; did you mean 'exclude'?");
        refused(GOOD, "state:", "stat:", "line 1: unknown key 'stat'; did you mean 'state'?");
        refused(
                GOOD,
                "include: [/var/log/app/**/*.log]",
                "follow_symlinks: true",
                "line 4: 'sources.app.include' is missing");
        refused(GOOD, "[/var/log/app", "[var/log/app", "line 4: the pattern 'var/log/app/**/*.log' must be absolute");
        refused(GOOD, "*.log]", "'{a,b'.log]", "not YAML");
        refused(
                GOOD,
                "type: file",
                "type: flie",
                "line 7: 'sinks.archive.type': 'flie' is not one of azure, file, gcs, http, kafka, otlp, s3, tcp; did"
                        + " you mean 'file'?");
        refused(
                GOOD,
                "path: /backup/app",
                "paht: /backup/app",
                "line 7: unknown key 'sinks.archive.paht'; did you mean 'path'?");
        refused(GOOD, "path: /backup/app", "host: x", "line 7: 'sinks.archive.path' is missing");
        refused(GOOD, "compress: none", "limit: {batches: 0}", "limit.bytes and limit.batches are at least 1 a second");
        refused(GOOD, "compress: none", "compress: zip", "line 12: 'routes[0].compress': 'zip' is not one of");
        refused(
                GOOD.replace("path: /backup/app", "path: /backup/app, layout: append")
                        .replace("key: '{source}/{yyyy}/{MM}/{dd}/{HH}/{host}-{batch}{ext}'", "key: '{path}'"),
                "compress: none",
                "compress: zstd",
                "compress: zstd does not go with the sink archive: use layout: objects");
        refused(
                GOOD.replace("type: file, path: /backup/app", "type: tcp, host: a, port: 1"),
                "compress: none",
                "compress: gzip",
                "compress: gzip does not go with the sink archive, which takes records or a stream");
        refused(
                GOOD.replace("compress: none", "compress: zstd"),
                "compress: zstd",
                "compress: zstd\n    compress_level: 20",
                "compress_level of zstd is from 1 to 19, not 20");
        refused(GOOD, "to: archive", "to: archiv", "line 10: there is no sink 'archiv'; did you mean 'archive'?");
        refused(GOOD, "from: app", "from: web", "line 9: there is no source 'web'; did you mean 'app'?");
        refused(GOOD, "64MiB", "64 megs", "line 11: 'routes[0].batch.bytes': '64 megs' is not a size like 64MiB");
        refused(GOOD, "age: 10s", "age: 10", "line 11: 'routes[0].batch.age': '10' is not a duration like 10s");
        refused(
                GOOD,
                "compress: none",
                "compress: brotli",
                "line 12: 'routes[0].compress': 'brotli' is not one of none");
        refused(GOOD, "-{batch}", "-x", "line 13: the key must contain {batch}");
        refused(GOOD, "{yyyy}", "{year}", "line 13: {year} is unknown in a key");
        refused(GOOD, "'{source}", "'{source}/..", "line 13: '..' is not allowed in a key");
        refused(GOOD, "timeout: 25s", "timeout: [1, 2]", "line 14: 'drain.timeout' must be a single value");
        refused(GOOD, "{timeout: 25s}", "25s", "line 14: 'drain' must be a mapping of keys to values");
        refused(GOOD, "/var/lib/tailrace", "var/lib", "line 1: 'state' must be an absolute path");
        refused(GOOD, "- from", "from", "not YAML");
    }

    @Test
    void whatGoesWrongWithRecordsLabelsAndTheEndIsSaidToo() {
        String include = "include: [/var/log/app/**/*.log]";
        refused(GOOD, include, include + "\n    framing: multiline", "multiline needs either record_start or");
        refused(GOOD, include, include + "\n    record_start: x", "no other framing has one");
        refused(
                GOOD,
                include,
                include + "\n    framing: multiline\n    record_start: '^['",
                "not a regular expression: Unclosed character class");
        refused(GOOD, include, include + "\n    labels: [env]", "a label is name=value");
        refused(GOOD, include, include + "\n    labels: [a=1, a=2]", "the label 'a' is there twice");
        refused(GOOD, "'{source}", "'{label:env}/{source}", "the source has no label 'env'");
        refused(GOOD, "{timeout: 25s}", "{notices: [ibm]}", "drain.notices are of [aws, gce, azure], not 'ibm'");
        refused(GOOD, "{timeout: 25s}", "{notice_url: here}", "a URL begins with http:// or https://");
        refused(GOOD, "{timeout: 25s}", "{ephemeral: [mnt]}", "'drain.ephemeral' has absolute paths");
        refused(GOOD, "127.0.0.1:9660", "here", "'admin.listen' is HOST:PORT, not 'here'");
        refused(GOOD, "127.0.0.1:9660", "a:99999", "'admin.listen' is HOST:PORT, not 'a:99999'");
        refused(GOOD, "compress: none", "dead_letters: letters", "dead_letters is an absolute path");
    }

    @Test
    void whatIsDoneWithRecordsIsRead() throws ConfigException {
        String yaml = GOOD.replace(
                        "include: [/var/log/app/**/*.log]",
                        "include: [/var/log/app/**/*.log]\n    framing: length\n    length_prefix: varint\n"
                                + "    encoding: latin-1\n    labels: [team=a]")
                .replace(
                        "compress: none",
                        "records: {include: 'ERROR', exclude: 'health', max: 1KiB, too_long: truncate, envelope:"
                                + " json}");
        RecordRules rules =
                reader.read("test", yaml).engine().routes().getFirst().rules();
        assertThat(rules.framing()).isEqualTo(new Framing.Length(Framing.Prefix.VARINT));
        assertThat(rules.encoding()).isEqualTo(Encoding.LATIN_1);
        assertThat(rules.filter().keeps("ERROR of health")).isFalse();
        assertThat(rules.filter().keeps("ERROR")).isTrue();
        assertThat(rules.maxBytes()).isEqualTo(1024);
        assertThat(rules.tooLong()).isEqualTo(RecordRules.TooLong.TRUNCATE);
        assertThat(rules.envelope()).contains(new RecordRules.Origin("thishost", "app", Map.of("team", "a")));
    }

    @Test
    void rulesThatDoNotGoWithSourceOrSinkAreRefused() {
        String include = "include: [/var/log/app/**/*.log]";
        refused(GOOD, include, include + "\n    framing: length\n    length_prefix: u16", "'u16' is not one of u32be");
        refused(GOOD, include, include + "\n    encoding: ascii", "'ascii' is not one of utf-8, latin-1, utf-16le");
        refused(
                GOOD,
                include,
                include + "\n    framing: cri\n    encoding: utf-16le",
                "encoding: utf-16le goes with framing: line, length, whole_file and raw alone");
        String plain = "compress: none";
        refused(GOOD, plain, "records: {include: '('}", "not a regular expression: Unclosed group");
        refused(GOOD, plain, "records: {filter: x}", "unknown key 'routes[0].records.filter'");
        refused(GOOD, plain, "records: {too_long: drop}", "'drop' is not one of split, truncate, error");
        refused(GOOD, plain, "records: {too_long: error}", "records: too_long: error needs max: longer than what?");
        refused(GOOD, plain, "records: {max: 0B}", "records: max is at least 1B and at most 64MiB");
        refused(GOOD, plain, "records: {max: 1GiB}", "records: max is at least 1B and at most 64MiB");
        String raw = GOOD.replace(include, include + "\n    framing: raw");
        refused(raw, plain, "records: {exclude: x}", "records: there are none with framing: raw");
        String cri = GOOD.replace(include, include + "\n    framing: cri");
        refused(
                cri,
                plain,
                "records: {max: 1KiB, too_long: truncate}",
                "what is left of a truncated record cannot be told from the next");
        String otlp = GOOD.replace("{type: file, path: /backup/app}", "{type: otlp, url: 'http://localhost:4318'}");
        refused(otlp, plain, "records: {envelope: json}", "the sink archive puts records into an envelope of its own");
    }

    @Test
    void labelsStandInKeysByTheirValues() throws ConfigException {
        String yaml = GOOD.replace(
                        "include: [/var/log/app/**/*.log]",
                        "include: [/var/log/app/**/*.log]\n    labels: [env=prod, team=$1]")
                .replace("'{source}", "'{label:env}/{label:team}/{source}");
        assertThat(reader.read("test", yaml).engine().routes().getFirst().key()).startsWith("prod/$1/{source}/");
    }

    private void refused(String yaml, String good, String bad, String message) {
        assertThat(yaml).contains(good);
        assertThat(problems(good.isEmpty() ? yaml : yaml.replace(good, bad)))
                .as(bad + yaml)
                .anySatisfy(problem -> assertThat(problem).contains(message));
    }

    @Test
    void everythingThatIsWrongIsToldAtOnce() {
        String yaml = GOOD.replace("exclude", "exclud").replace("64MiB", "big").replace("25s", "soon");
        assertThat(problems(yaml)).hasSize(3);
    }

    @Test
    void aFileThatIsNoConfigurationIsRefused() {
        refused("", "", "", "it is empty");
        refused("# only a comment", "", "", "it is empty");
        refused("- a list", "", "", "the file must be a mapping");
        refused("just a text", "", "", "the file must be a mapping");
        refused("state: /x", "", "", "'sources' is missing");
        refused("sources: {}", "", "", "'sources' is empty");
        refused("sources: {a: {include: /x/*, include: /y/*}}", "", "", "'include' is there twice");
        refused("routes: {from: a}", "", "", "'routes' must be a list");
        refused("a: b: c", "", "", "not YAML");
        refused("a: [1, 2", "", "", "not YAML");
        refused("a: *nowhere", "", "", "not YAML");
    }

    @Test
    void routesThatWouldWriteOverEachOtherAreRefused() {
        String yaml = """
            sources: {a: {include: /a/*.log}, b: {include: /b/*.log}}
            sinks: {mirror: {type: file, path: /m, layout: append}}
            routes:
              - {from: a, to: mirror, key: '%s'}
              - {from: b, to: mirror, key: '{source}/{path}'}
            """;
        assertThat(problems(yaml.formatted("{path}")))
                .singleElement()
                .asString()
                .contains("begin both keys with");
        assertThat(problems(yaml.formatted("{source}/{path}"))).isEmpty();
    }

    @Test
    void aSinkWithinItsOwnSourceIsRefused() {
        assertThat(problems(GOOD.replace("/backup/app", "/var/log/app/delivered")))
                .singleElement()
                .asString()
                .contains("would find it again: add exclude: ['/var/log/app/delivered/**']");
        assertThat(problems(GOOD.replace("/backup/app", "/var/log/app/delivered")
                        .replace("'**/*.gz'", "/var/log/app/delivered/**")))
                .isEmpty();
    }

    @Test
    void aTabIsNamed() {
        assertThat(problems("sources:\n\tapp: x")).singleElement().asString().contains("there is a tab in the file");
    }

    @Test
    void unusedSourcesAndSinksAreNoted() throws ConfigException {
        String yaml = GOOD.replace("sinks:\n", "sinks:\n  spare: {type: tcp, host: h, port: 1}\n");
        assertThat(reader.read("test", yaml).notes()).contains("the sink 'spare' is in no route");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> reader.read(Path.of("/nowhere/tailrace.yaml")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("there is no such file");
    }

    @Test
    void theReferenceIsTheOneThatIsGenerated() throws IOException {
        assertThat(Files.readString(Path.of("..", "docs", "reference.md")))
                .as("write it anew: ./tailrace validate --reference > docs/reference.md")
                .isEqualTo(new ReferencePage().text());
    }

    @Test
    void theShippedJsonSchemaIsTheOneThatIsGenerated() throws IOException {
        Path shipped = Path.of("..", "docs", "tailrace.schema.json");
        assertThat(Files.readString(shipped))
                .as("write it anew: ./tailrace validate --schema > docs/tailrace.schema.json")
                .isEqualTo(new JsonSchema().text());
    }
}
