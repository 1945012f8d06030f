package tailrace.sink.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import tailrace.core.deliver.SettingValues;

/** From our settings to those of Kafka's clients. */
final class ClientProperties {
    private ClientProperties() {}

    /** What any client needs to reach the cluster. */
    static Properties common(SettingValues values) throws IOException {
        var properties = new Properties();
        int timeoutMillis = Math.toIntExact(values.duration("timeout").toMillis());
        properties.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, values.string("brokers"));
        properties.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, timeoutMillis);
        properties.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, timeoutMillis);
        properties.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
        boolean sasl = !values.string("sasl").equals("none");
        boolean tls = values.isTrue("tls");
        properties.put(
                CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, (sasl ? "SASL_" : "") + (tls ? "SSL" : "PLAINTEXT"));
        if (sasl) {
            sasl(properties, values);
        }
        if (values.has("ca_file")) {
            properties.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
            properties.put(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, pem(values.string("ca_file")));
        }
        if (values.has("key_file")) {
            properties.put(SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, "PEM");
            properties.put(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG, pem(values.string("certificate_file")));
            properties.put(SslConfigs.SSL_KEYSTORE_KEY_CONFIG, pem(values.string("key_file")));
        }
        if (values.has("properties")) {
            for (String property : values.strings("properties")) {
                int equals = property.indexOf('=');
                properties.put(
                        property.substring(0, equals).strip(),
                        property.substring(equals + 1).strip());
            }
        }
        return properties;
    }

    private static void sasl(Properties properties, SettingValues values) {
        String mechanism = values.string("sasl");
        String module = mechanism.equals("PLAIN")
                ? "org.apache.kafka.common.security.plain.PlainLoginModule"
                : "org.apache.kafka.common.security.scram.ScramLoginModule";
        properties.put(SaslConfigs.SASL_MECHANISM, mechanism);
        properties.put(
                SaslConfigs.SASL_JAAS_CONFIG,
                module + " required username=" + quoted(values.string("user")) + " password="
                        + quoted(values.string("password")) + ";");
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static String pem(String file) throws IOException {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException e) {
            throw new IOException(file + " cannot be read: " + e, e);
        }
    }

    /** Of a producer whose transactions bear a name, so that its successor can end them. */
    static Properties producer(SettingValues values, String transactionalId) throws IOException {
        Properties properties = common(values);
        Duration timeout = values.duration("timeout");
        properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
        properties.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, Math.toIntExact(timeout.toMillis()));
        properties.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Long.toString(timeout.toMillis()));
        properties.put(
                ProducerConfig.LINGER_MS_CONFIG,
                Long.toString(values.duration("linger").toMillis()));
        properties.put(
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                Integer.toString(
                        Math.toIntExact(timeout.plus(values.duration("linger")).toMillis())));
        properties.put(ProducerConfig.BATCH_SIZE_CONFIG, Integer.toString((int) values.sizeBytes("request_bytes")));
        properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, values.string("compression"));
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        return properties;
    }

    /** Of a consumer that sees what was committed, or everything. */
    static Properties consumer(SettingValues values, boolean committed) throws IOException {
        Properties properties = common(values);
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, committed ? "read_committed" : "read_uncommitted");
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        return properties;
    }
}
