package tailrace.core.deliver;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Whom we trust, and who we are, from PEM files: what {@link #SETTINGS} say. */
public final class Tls {
    /** The keys of a sink that speaks TLS. */
    public static final List<Setting> SETTINGS = List.of(
            Setting.optional("ca_file", Setting.Kind.STRING, "PEM: whom to trust, if not this JDK's issuers."),
            Setting.optional(
                    "certificate_file", Setting.Kind.STRING, "PEM: our certificate and its chain, for mutual TLS."),
            Setting.optional("key_file", Setting.Kind.STRING, "PEM, PKCS #8: its key."));

    private static final char[] NO_PASSWORD = new char[0];

    private Tls() {}

    /** @throws IllegalArgumentException if the settings do not fit together, with a message for a person */
    public static void check(SettingValues values) {
        if (values.has("certificate_file") != values.has("key_file")) {
            throw new IllegalArgumentException("certificate_file and key_file go together");
        }
    }

    /** @throws IOException if a file cannot be read, or is not what it should be; the message names it */
    public static SSLContext context(SettingValues values) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager @Nullable [] trust = trusted(values).orElse(null);
            KeyManager @Nullable [] keys = values.has("key_file")
                    ? keys(Path.of(values.string("certificate_file")), Path.of(values.string("key_file")))
                    : null;
            context.init(keys, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Whom to trust.
     *
     * @return empty if {@code ca_file} is not given
     * @throws IOException if the file cannot be read, or holds no certificate; the message names it
     */
    public static Optional<TrustManager[]> trusted(SettingValues values) throws IOException {
        try {
            return values.has("ca_file") ? Optional.of(trust(Path.of(values.string("ca_file")))) : Optional.empty();
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates cannot be used: " + e.getMessage(), e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws GeneralSecurityException, IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " holds no certificate in PEM", e);
        }
    }

    private static TrustManager[] trust(Path file) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        for (Certificate certificate : certificates(file)) {
            store.setCertificateEntry("ca-" + store.size(), certificate);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] keys(Path certificateFile, Path keyFile) throws GeneralSecurityException, IOException {
        KeyStore store = empty();
        store.setKeyEntry(
                "own",
                privateKey(keyFile),
                NO_PASSWORD,
                certificates(certificateFile).toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, NO_PASSWORD);
        return factory.getKeyManagers();
    }

    private static PrivateKey privateKey(Path file) throws GeneralSecurityException, IOException {
        String pem = Files.readString(file, US_ASCII);
        if (!pem.contains("BEGIN PRIVATE KEY")) {
            throw new IOException(file + " holds no private key in PEM, PKCS #8, without a password. Make one with:"
                    + " openssl pkcs8 -topk8 -nocrypt");
        }
        String base64 = pem.replaceAll("(?s).*-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----.*|\\s", "");
        var spec = new PKCS8EncodedKeySpec(Base64.getDecoder().decode(base64));
        for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // of another kind
            }
        }
        throw new IOException("the key in " + file + " is neither RSA nor EC nor Ed25519");
    }
}
