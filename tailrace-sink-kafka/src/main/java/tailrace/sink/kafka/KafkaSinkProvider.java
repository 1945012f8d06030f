package tailrace.sink.kafka;

import static tailrace.core.deliver.Setting.Kind.BOOLEAN;
import static tailrace.core.deliver.Setting.Kind.DURATION;
import static tailrace.core.deliver.Setting.Kind.INTEGER;
import static tailrace.core.deliver.Setting.Kind.SIZE;
import static tailrace.core.deliver.Setting.Kind.STRING;
import static tailrace.core.deliver.Setting.Kind.STRINGS;

import java.util.List;
import org.apache.kafka.clients.producer.ProducerConfig;
import tailrace.core.batch.KeyTemplate;
import tailrace.core.deliver.Setting;
import tailrace.core.deliver.SettingValues;
import tailrace.core.deliver.Sink;
import tailrace.core.deliver.SinkProvider;

/** {@code type: kafka}. */
public final class KafkaSinkProvider implements SinkProvider {
    @Override
    public String type() {
        return "kafka";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.required("brokers", STRING, "HOST:PORT of some brokers, separated by commas."),
                Setting.required("topic", STRING, "Where the lines go. It must be there."),
                Setting.optional(
                        "record_key",
                        STRING,
                        "{host}/{path}",
                        "Key of each record; those of one key keep their order. Empty: none."),
                Setting.optional(
                        "headers",
                        BOOLEAN,
                        "true",
                        "Whether each record says in headers where it is from: file (its path), offset (of its first"
                                + " byte in it: 8 bytes, big endian), labels, and time and stream of containers."),
                Setting.optional("max_record", SIZE, "900KiB", "A longer line is split into several records."),
                Setting.oneOf(
                        "compression",
                        List.of("none", "gzip", "snappy", "lz4", "zstd"),
                        "lz4",
                        "What the producer compresses its requests with."),
                Setting.optional("linger", DURATION, "5ms", "How long records wait for others to travel with."),
                Setting.optional("request_bytes", SIZE, "256KiB", "How many bytes to a partition travel together."),
                Setting.optional("lanes", INTEGER, "2", "Transactions at a time; a file always travels in one lane."),
                Setting.optional(
                        "progress_topic",
                        STRING,
                        "_tailrace_progress",
                        "Which batch of each lane is the last: written in its transaction. It is made, compacted."),
                Setting.optional("timeout", DURATION, "30s", "How long to wait for the cluster."),
                Setting.optional("tls", BOOLEAN, "false", "Whether to encrypt. Certificates are verified, and names."),
                Setting.optional("ca_file", STRING, "PEM: whom to trust, if not this JDK's issuers."),
                Setting.optional("certificate_file", STRING, "PEM: our certificate and its chain, for mutual TLS."),
                Setting.optional("key_file", STRING, "PEM, PKCS #8: its key."),
                Setting.oneOf(
                        "sasl",
                        List.of("none", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"),
                        "none",
                        "How to authenticate by user and password."),
                Setting.optional("user", STRING, "For SASL."),
                Setting.optional("password", STRING, "For SASL; use ${VARIABLES}."),
                Setting.optional(
                        "properties", STRINGS, "Further properties of the Kafka producer, each as 'name=value'."));
    }

    @Override
    public Sink open(SettingValues values, Context context) {
        var key = new KeyTemplate("key:" + values.string("record_key"));
        for (KeyTemplate.Variable variable : KeyTemplate.Variable.values()) {
            if (key.has(variable) && !variable.isKnownBeforeTheSeal()) {
                throw new IllegalArgumentException(
                        "record_key is the same for all lines of a file: it cannot have {" + variable.text() + "}");
            }
        }
        if (values.string("topic").equals(values.string("progress_topic"))) {
            throw new IllegalArgumentException("topic and progress_topic cannot be the same");
        }
        if (!values.string("sasl").equals("none") && !(values.has("user") && values.has("password"))) {
            throw new IllegalArgumentException("sasl needs user and password");
        }
        if (values.has("certificate_file") != values.has("key_file")) {
            throw new IllegalArgumentException("certificate_file and key_file go together");
        }
        for (String broker : values.string("brokers").split(",", -1)) {
            if (!broker.strip().matches(".+:[0-9]{1,5}")) {
                throw new IllegalArgumentException("brokers is HOST:PORT,HOST:PORT,..., not '" + broker + "'");
            }
        }
        if (values.has("properties")) {
            for (String property : values.strings("properties")) {
                if (property.indexOf('=') < 1) {
                    throw new IllegalArgumentException("a property is 'name=value', not '" + property + "'");
                }
                if (property.strip().startsWith(ProducerConfig.INTERCEPTOR_CLASSES_CONFIG)) {
                    throw new IllegalArgumentException(
                            "properties cannot have " + ProducerConfig.INTERCEPTOR_CLASSES_CONFIG
                                    + ": the object of a record is used again for the next one, and an interceptor may"
                                    + " keep it");
                }
            }
        }
        return new KafkaSink(values, context);
    }

    @Override
    public boolean takesRecords(SettingValues values) {
        return true;
    }

    @Override
    public boolean takesEnvelope(SettingValues values) {
        return true;
    }

    /** It names the batch for people who read logs; nothing is stored under it. */
    @Override
    public String defaultKey(SettingValues values) {
        return "{source}/{host}-{batch}";
    }
}
