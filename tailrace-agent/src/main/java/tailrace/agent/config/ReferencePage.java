package tailrace.agent.config;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tailrace.core.Event;
import tailrace.core.batch.KeyTemplate;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SinkProvider;

/** docs/reference.md: every key, variable and event, from the code that reads them. */
public final class ReferencePage {
    private final StringBuilder page = new StringBuilder();

    /** The page, in Markdown. */
    public String text() {
        page.append("# Reference\n\nGenerated: `./tailrace validate --reference > docs/reference.md`.\n\n");
        page.append("## Configuration\n\n");
        page.append("Sizes have units (B, KiB, MiB, GiB, TiB, kB, MB, GB, TB), durations too (ms, s, m, h). `${NAME}`"
                + " and\n");
        page.append("`${NAME:-default}` come from the environment; within { } and [ ] they need quotes. `$${` is a"
                + " plain\n");
        page.append("`${`.\n");
        settings("At the top", Schema.TOP);
        settings("`sources.<name>`", Schema.SOURCE);
        for (SinkProvider provider : new Schema().sinks().values()) {
            settings("`sinks.<name>` with `type: " + provider.type() + "`", provider.settings());
        }
        settings("`routes[]`", Schema.ROUTE);
        settings("`routes[].batch`", Schema.BATCH);
        settings("`routes[].limit`", Schema.LIMIT);
        settings("`routes[].records`", Schema.RECORDS);
        settings("`drain`", Schema.DRAIN);
        settings("`pins`", Schema.PINS);
        settings("`admin`", Schema.ADMIN);
        page.append("\n## Variables of a key\n\n| variable | meaning |\n|---|---|\n");
        for (KeyTemplate.Variable variable : KeyTemplate.Variable.values()) {
            row("`{" + variable.text() + "}`", variable.meaning());
        }
        page.append("\n"
                + "Files with different values of path, file, dir, stem or ext never share a batch. Times are"
                + " those of\n");
        page.append("the seal, in UTC.\n");
        page.append("\n## Events\n\n| event | level | meaning |\n|---|---|---|\n");
        for (Event event : Event.values()) {
            row(event.name(), event.level().name().toLowerCase(Locale.ROOT), event.meaning());
        }
        return page.toString();
    }

    private void settings(String title, List<Setting> settings) {
        page.append("\n### ").append(title).append("\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
        for (Setting setting : settings) {
            String value = setting.values().isEmpty()
                    ? setting.kind().name().toLowerCase(Locale.ROOT)
                    : setting.values().stream().map(v -> "`" + v + "`").collect(Collectors.joining(", "));
            String otherwise = setting.required()
                    ? "required"
                    : setting.defaultValue().map(v -> "`" + v + "`").orElse("");
            row("`" + setting.key() + "`", value, otherwise, setting.meaning());
        }
    }

    private void row(String... cells) {
        page.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
