import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Checks, or with {@code apply} rewrites, every Java source of the modules by palantir-java-format. */
class Format {
    public static void main(String[] arguments) throws Exception {
        boolean apply = arguments[0].equals("apply");
        var formatter = Formatter.createFormatter(JavaFormatterOptions.builder()
                .style(JavaFormatterOptions.Style.PALANTIR)
                .formatJavadoc(false)
                .build());
        var misshapen = new ArrayList<Path>();
        for (Path source : sources()) {
            String text = Files.readString(source);
            String formatted = formatter.formatSourceAndFixImports(text);
            if (!text.equals(formatted)) {
                misshapen.add(source);
                if (apply) {
                    Files.writeString(source, formatted);
                }
            }
        }
        if (!apply && !misshapen.isEmpty()) {
            misshapen.forEach(source -> System.err.println("not formatted: " + source));
            System.err.println("Format them: mvn -pl build verify -Dformat=apply");
            System.exit(1);
        }
    }

    private static List<Path> sources() throws Exception {
        try (var modules = Files.newDirectoryStream(Path.of(""), "tailrace-*")) {
            var sources = new ArrayList<Path>();
            for (Path module : modules) {
                try (var files = Files.walk(module.resolve("src"))) {
                    files.filter(f -> f.toString().endsWith(".java")).forEach(sources::add);
                }
            }
            return sources;
        }
    }
}
