package tailrace.testkit.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.manifest.ManifestCodec;
import tailrace.core.manifest.ManifestEntry;
import tailrace.core.manifest.ManifestEntry.Part;
import tailrace.linux.LinuxPath;

/** The query that is shipped, over the manifests of a fleet. */
class FleetAuditTest {
    private static final Path DOCS = Path.of("../docs");
    private static final int HOSTS = 10_000;
    private static final int BATCHES = 20;
    private static final int FILES = 5;
    private static final int EXTENT_BYTES = 1000;

    @TempDir
    Path folder;

    /** A host's manifest, one object a batch; some batches can be left out, or be there under another key, too. */
    private void write(int host, Set<Integer> without, Set<Integer> doubled) throws IOException {
        var lines = new ByteArrayOutputStream();
        for (int batch = 0; batch < BATCHES; batch++) {
            if (!without.contains(batch)) {
                lines.write(line(host, batch, "object-" + batch, 0));
            }
            if (doubled.contains(batch)) {
                lines.write(line(host, batch, "again-" + batch, 0));
            }
        }
        write("host-" + host, lines.toByteArray());
    }

    private void write(String host, byte[] lines) throws IOException {
        Path manifests = Files.createDirectories(folder.resolve(host).resolve("_tailrace/manifests"));
        Files.write(manifests.resolve("m.jsonl"), lines);
    }

    private static byte[] line(int host, int batch, String key, long position) {
        var parts = new ArrayList<Part>();
        for (int file = 0; file < FILES; file++) {
            parts.add(part(file, (long) batch * EXTENT_BYTES, (batch + 1L) * EXTENT_BYTES));
        }
        return line("host-" + host, "l-1-" + batch, key, position, parts);
    }

    private static Part part(int file, long from, long to) {
        return new Part(LinuxPath.of("/var/log/app-" + file + ".log"), "uuid/1:" + file, 0, from, to);
    }

    private static byte[] line(String host, String batch, String key, long position, List<Part> parts) {
        long length = parts.stream().mapToLong(part -> part.to() - part.from()).sum();
        return ManifestCodec.toLine(new ManifestEntry(
                batch,
                host,
                "app",
                LinuxPath.of(key),
                position,
                length,
                OptionalInt.of(batch.hashCode()),
                "",
                "",
                Instant.EPOCH,
                parts));
    }

    private List<String> audit() throws IOException, SQLException {
        var found = new ArrayList<String>();
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("SET VARIABLE manifests = '" + folder + "/*/_tailrace/manifests/*.jsonl'");
            try (ResultSet rows = statement.executeQuery(Files.readString(DOCS.resolve("audit.sql")))) {
                while (rows.next()) {
                    found.add("%s %s %s [%d, %d)"
                            .formatted(
                                    rows.getString("host"),
                                    rows.getString("file"),
                                    rows.getString("problem"),
                                    rows.getLong("from"),
                                    rows.getLong("to")));
                }
            }
        }
        return found;
    }

    @Test
    void theQueryFindsTheMissingAndTheDoubledRangeAmongTenThousandHosts() throws Exception {
        for (int host = 0; host < HOSTS; host++) {
            write(host, host == 4711 ? Set.of(7) : Set.of(), host == 815 ? Set.of(3) : Set.of());
        }
        long start = System.nanoTime();
        List<String> found = audit();
        System.out.printf(
                "%d hosts, %d extents: audited in %.1f s%n",
                HOSTS, HOSTS * BATCHES * FILES, (System.nanoTime() - start) / 1e9);
        var expected = new ArrayList<String>();
        for (int file = 0; file < FILES; file++) {
            expected.add("host-4711 /var/log/app-" + file + ".log missing [7000, 8000)");
            expected.add("host-815 /var/log/app-" + file + ".log twice [3000, 4000)");
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void whatCrashesAndRotationsLeaveIsNoProblem() throws Exception {
        var lines = new ByteArrayOutputStream();
        lines.write(line("a", "l-1-1", "app.log", 0, List.of(part(0, 0, 500))));
        lines.write(line("a", "l-1-2", "app.log", 500, List.of(part(0, 500, 900))));
        lines.write(line("a", "l-2-1", "app.log", 500, List.of(part(0, 500, 800)))); // after a crash: cut, and again
        lines.write("{\"v\":1,\"batch\":\"l-2-".getBytes(StandardCharsets.UTF_8)); // torn
        lines.write(line("a", "l-2-2", "app.log", 800, List.of(part(0, 800, 1000))));
        lines.write(line("a", "l-2-3", "app.log.1", 0, List.of(part(1, 1000, 1200)))); // the copy of a copytruncate
        write("a", lines.toByteArray());
        assertThat(audit()).isEmpty();
    }

    @Test
    void theSchemaKnowsEveryNameThatIsWritten() throws IOException {
        String schema = Files.readString(DOCS.resolve("manifest.schema.json"));
        String written = new String(line("h", "b", "k", 0, List.of(part(0, 0, 1))), StandardCharsets.UTF_8);
        var names = new TreeSet<String>();
        var matcher = Pattern.compile("\"([a-z_0-9]+)\":").matcher(written);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        assertThat(names).hasSize(15).allSatisfy(name -> assertThat(schema).contains("\"" + name + "\": {"));
    }
}
