package tailrace.agent.config;

import java.util.List;
import tailrace.core.batch.KeyTemplate;
import tailrace.core.engine.EngineSettings.RouteSettings;
import tailrace.core.engine.EngineSettings.SinkSettings;
import tailrace.core.watch.Glob;
import tailrace.core.watch.Source;
import tailrace.linux.LinuxPath;

/** What must hold of a route, and of routes together, so that no two writers meet and no circle arises. */
final class RouteRules {
    private RouteRules() {}

    /** Notes what is wrong with a route, given those before it. */
    static void check(RouteSettings route, List<RouteSettings> before, Section section, Problems problems) {
        if (before.stream().anyMatch(other -> other.name().equals(route.name()))) {
            problems.add(
                    section.line(),
                    "there are two routes from " + route.source().name() + " to "
                            + route.sink().name());
        }
        var key = new KeyTemplate(route.key());
        if (isAppend(route.sink())) {
            if (key.tellsBatchesApart()) {
                problems.add(
                        section.lineOf("key"),
                        "a key with {batch}, {from} or {to} makes a file for each batch: use layout: objects, or leave"
                                + " them out");
            }
            checkShared(route, key, before, section, problems);
        } else if (!key.has(KeyTemplate.Variable.BATCH)) {
            problems.add(section.lineOf("key"), "the key must contain {batch}, so that no two batches share one");
        }
        checkCircle(route, section, problems);
    }

    private static boolean isAppend(SinkSettings sink) {
        return sink.values().has("layout") && sink.values().string("layout").equals("append");
    }

    /** Two routes that append to one file would cut each other's bytes off. */
    private static void checkShared(
            RouteSettings route, KeyTemplate key, List<RouteSettings> before, Section section, Problems problems) {
        for (RouteSettings other : before) {
            boolean sameFolder = isAppend(other.sink()) && folder(other.sink()).equals(folder(route.sink()));
            boolean apart = key.has(KeyTemplate.Variable.SOURCE)
                    && new KeyTemplate(other.key()).has(KeyTemplate.Variable.SOURCE)
                    && !other.source().name().equals(route.source().name());
            if (sameFolder && !apart) {
                problems.add(
                        section.line(),
                        "the routes " + other.name() + " and " + route.name() + " append below the same folder, perhaps"
                                + " to the same file: begin both keys with {source}/");
            }
        }
    }

    /** What is delivered must not be found again as something to deliver. */
    private static void checkCircle(RouteSettings route, Section section, Problems problems) {
        String folder = folder(route.sink());
        if (!folder.startsWith("/")) {
            return;
        }
        Source source = route.source();
        for (Glob include : source.includes()) {
            String pattern = include.toString();
            String probe = pattern.substring(pattern.lastIndexOf('/') + 1).replaceAll("[*?]", "x");
            if (source.matches(LinuxPath.of(folder).resolve(probe))
                    || source.matches(LinuxPath.of(folder).resolve("x/y").resolve(probe))) {
                problems.add(
                        section.line(),
                        "the sink " + route.sink().name() + " writes to " + folder + ", where the source "
                                + source.name() + " would find it again: add exclude: ['" + folder
                                + "/**'] to the source");
                return;
            }
        }
    }

    /** The folder of a file sink; empty for others. */
    private static String folder(SinkSettings sink) {
        return sink.provider().type().equals("file") && sink.values().has("path")
                ? sink.values().string("path")
                : "";
    }
}
