package tailrace.agent.config;

import static tailrace.core.deliver.Setting.Kind.BOOLEAN;
import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.SIZE;
import static tailrace.core.deliver.Setting.Kind.STRING;
import static tailrace.core.deliver.Setting.Kind.STRINGS;

import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SinkProvider;

/** Every key of tailrace.yaml: what is read, what is refused, the JSON Schema and the reference all come from here. */
public final class Schema {
    static final List<Setting> TOP = List.of(
            Setting.optional(
                    "state", STRING, "/var/lib/tailrace", "The agent's own folder: ledger, lock, status socket."),
            Setting.optional("host", STRING, "This host's name in keys and manifests; by default its host name."));

    static final List<Setting> SOURCE = List.of(
            Setting.required(
                    "include", STRINGS, "Absolute path patterns: * ? [a-z] {a,b} within a name, ** for any folders."),
            Setting.optional(
                    "exclude", STRINGS, "Patterns of files to leave alone; without a leading / in any folder."),
            Setting.optional(
                    "follow_symlinks",
                    BOOLEAN,
                    "false",
                    "Whether symbolic links below the pattern's folder are followed."),
            Setting.oneOf(
                    "framing",
                    List.of("line", "raw", "cri", "multiline", "length", "whole_file"),
                    "line",
                    "What a record is: batches end behind one, and sinks of records get them one by one. cri: what a"
                            + " Kubernetes container wrote as a line, without its prefix. multiline: lines as"
                            + " record_start or record_continuation say. length: a number, and so many bytes."
                            + " whole_file: all of a file, when nobody writes to it any more. raw: there are none."),
            Setting.oneOf(
                    "length_prefix",
                    List.of("u32be", "u32le", "varint"),
                    "u32be",
                    "length: how the number before a record is written; varint: as protobuf does."),
            Setting.oneOf(
                    "encoding",
                    List.of("utf-8", "latin-1", "utf-16le", "utf-16be"),
                    "utf-8",
                    "Of the text in the files: where lines end, and what sinks of records, filters and envelopes make"
                            + " UTF-8 of. Bytes that go as they are stay as they are."),
            Setting.optional(
                    "record_start",
                    STRING,
                    "multiline: a line with this regular expression begins a record, such as '^\\d{4}-'."),
            Setting.optional(
                    "record_continuation",
                    STRING,
                    "multiline, in its stead: a line with this goes on with the record before, such as '^\\s'."),
            Setting.optional(
                    "labels",
                    STRINGS,
                    "What is said of these files, each as name=value: {label:NAME} in keys, and in the records of sinks"
                            + " that carry such."),
            Setting.optional(
                    "flush_partial_after",
                    DURATION,
                    "5s",
                    "An unfinished last record that does not grow is delivered after this."));

    static final List<Setting> ROUTE = List.of(
            Setting.required("from", STRING, "Name of a source."),
            Setting.required("to", STRING, "Name of a sink."),
            Setting.optional("key", STRING, "Where a batch is put; by default what suits the sink."),
            Setting.oneOf(
                    "compress",
                    List.of("none", "gzip", "zstd"),
                    "none",
                    "How batches are compressed: the key gets .gz or .zst. Files that a name says to be compressed are"
                            + " not."),
            Setting.optional(
                    "dead_letters",
                    STRING,
                    "Folder for batches that the sink rejects for good (as HTTP 400 and 413), which then count as lost."
                            + " Not given: they stay pending, and are tried again every minute."),
            Setting.optional("compress_level", INTEGER, "gzip: 1 to 12, by default 6. zstd: 1 to 19, by default 3."),
            Setting.oneOf(
                    "integrity",
                    List.of("crc32c", "length"),
                    "crc32c",
                    "crc32c: every byte is summed on its way. length: pure zero-copy."));

    static final List<Setting> RECORDS = List.of(
            Setting.optional(
                    "include",
                    STRING,
                    "Only records in which this regular expression is found go to the sink; the others count as"
                            + " filtered."),
            Setting.optional("exclude", STRING, "Records in which this is found do not."),
            Setting.optional(
                    "max", SIZE, "A longer record is too long. Not given: as the sink's max_record says, or 16MiB."),
            Setting.oneOf(
                    "too_long",
                    List.of("split", "truncate", "error"),
                    "split",
                    "What becomes of such: split: it comes as several. truncate: what it has more counts as lost."
                            + " error: its batch is rejected, as by the sink (see dead_letters)."),
            Setting.oneOf(
                    "envelope",
                    List.of("none", "json"),
                    "none",
                    "json: each record is a line of JSON: host, source, batch, labels, file, pod, offset, time, stream,"
                            + " body."));

    static final List<Setting> BATCH = List.of(
            Setting.optional("bytes", SIZE, "64MiB", "A batch is sealed at this size,"),
            Setting.optional("age", DURATION, "10s", "or when its oldest byte is this old."));

    static final List<Setting> LIMIT = List.of(
            Setting.optional(
                    "bytes",
                    SIZE,
                    "At most so many bytes a second, as they are in the files; while draining, all there is."),
            Setting.optional("batches", INTEGER, "At most so many attempts to deliver a batch a second."));

    static final List<Setting> DRAIN = List.of(
            Setting.optional(
                    "timeout",
                    DURATION,
                    "25s",
                    "On SIGTERM: deliver what is pending, and stop after this at the latest."),
            Setting.optional(
                    "ephemeral",
                    STRINGS,
                    "Folders on disks that go with the instance: what is there is delivered before the rest. Found"
                            + " without being named: tmpfs, and instance-store disks of AWS, Google and Azure."),
            Setting.optional(
                    "notices",
                    STRINGS,
                    "Who is asked every second whether the instance will go: aws, gce, azure. From then on what"
                            + " would be lost first is delivered first, at once."),
            Setting.optional("metadata_url", STRING, "Their metadata server, if it is not where the provider has it."),
            Setting.optional("notice_file", STRING, "The instance will go when this file exists."),
            Setting.optional("notice_url", STRING, "The instance will go when this answers 200, not 204 or 404."));

    static final List<Setting> PINS = List.of(
            Setting.oneOf(
                    "mode",
                    List.of("rotated", "always", "off"),
                    "rotated",
                    "Which undelivered files get a second name that outlives their deletion. rotated: those that were"
                            + " renamed; always: also those that nobody has open for writing."),
            Setting.optional(
                    "after",
                    DURATION,
                    "10s",
                    "How long such a file is left alone first: logrotate's compress refuses a file of two names"
                            + " (unless allowhardlink is set)."),
            Setting.optional(
                    "path",
                    STRING,
                    "Folder of these names, on the filesystem of the files; by default pins in the state directory."),
            Setting.optional(
                    "bytes", SIZE, "10GiB", "Deleted files that wait for delivery hold at most this much disk,"),
            Setting.optional(
                    "percent_of_free", INTEGER, "50", "and at most this share of what would be free without them."));

    static final List<Setting> ADMIN = List.of(Setting.optional(
            "listen",
            STRING,
            "HOST:PORT for HTTP: /status, /livez, and /drain, which stops the agent and answers when it has."
                    + " Not given: none."));

    static final String TYPE = "type";

    private final Map<String, SinkProvider> sinks = new TreeMap<>();

    /** With the sinks that are there. */
    public Schema() {
        ServiceLoader.load(SinkProvider.class).forEach(provider -> sinks.put(provider.type(), provider));
    }

    /** The types of sinks, by name. */
    public Map<String, SinkProvider> sinks() {
        return sinks;
    }
}
