package tailrace.core.sink.file;

import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.STRING;

import java.util.List;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;
import tailrace.linux.LinuxPath;

/** {@code type: file}. */
public final class FileSinkProvider implements SinkProvider {
    private static final String APPEND = "append";

    @Override
    public String type() {
        return "file";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.required("path", STRING, "The folder, absolute; made if it is not there."),
                Setting.oneOf(
                        "layout",
                        List.of("objects", APPEND),
                        "objects",
                        "objects: a new file for each batch, never seen half written. append: one growing file per"
                                + " key."),
                Setting.oneOf(
                        "durability",
                        List.of("fsync", "none"),
                        "fsync",
                        "fsync: what counts as delivered survives a power cut. none: it survives a crash of the"
                                + " agent."),
                Setting.optional(
                        "concurrency",
                        INTEGER,
                        "4", // with fsync 1.6 times the rate of 2 (2 GB, 2 processors): one copies while others wait
                        // for the disk
                        "Batches written at a time."));
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        String path = values.string("path");
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("the path of a file sink must be absolute, not '" + path + "'");
        }
        var folder = new SinkFolder(
                context.kernel(),
                LinuxPath.of(path),
                values.string("durability").equals("fsync"));
        var manifest = new ManifestFile(folder, context);
        int concurrency = values.integer("concurrency");
        return isAppend(values)
                ? new AppendFileSink(folder, manifest, context, concurrency)
                : new ObjectFileSink(folder, manifest, context, concurrency);
    }

    @Override
    public boolean takesCompressed(SettingValues values) {
        return values.string("layout").equals("objects");
    }

    @Override
    public boolean writesFiles() {
        return true;
    }

    @Override
    public String defaultKey(SettingValues values) {
        return isAppend(values) ? "{path}" : "{source}/{yyyy}/{MM}/{dd}/{HH}/{host}-{batch}{ext}";
    }

    private static boolean isAppend(SettingValues values) {
        return values.string("layout").equals(APPEND);
    }
}
