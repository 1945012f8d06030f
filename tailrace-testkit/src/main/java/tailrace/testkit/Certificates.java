package tailrace.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Keys and certificates in a folder, as keytool makes them. Their password is "secret". */
public final class Certificates {
    private final Path folder;

    public Certificates(Path folder) {
        this.folder = folder;
    }

    /** A key and a certificate: {@code NAME.p12}, and the certificate as {@code NAME.pem}. */
    public Path keyStore(String name, String... more) throws IOException {
        Path file = folder.resolve(name + ".p12");
        run("-genkeypair", name, file, more);
        run(
                "-exportcert",
                name,
                file,
                "-rfc",
                "-file",
                folder.resolve(name + ".pem").toString());
        return file;
    }

    /** One command of keytool. */
    public void run(String what, String name, Path store, String... more) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), what));
        command.addAll(List.of("-alias", name, "-keystore", store.toString(), "-storepass", "secret"));
        if (what.equals("-genkeypair")) {
            command.addAll(List.of("-keyalg", "EC", "-dname", "CN=" + name));
        }
        command.addAll(List.of(more));
        try {
            Process keytool =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(keytool.getInputStream().readAllBytes(), UTF_8);
            if (keytool.waitFor() != 0) {
                throw new IOException(said);
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** Of a server, or a client, that has a key store and trusts the certificate of another. */
    public static SSLContext context(Path own, Path trusted) throws IOException, GeneralSecurityException {
        var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(load(own), "secret".toCharArray());
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(certificateOf(trusted));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore load(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, "secret".toCharArray());
        }
        return store;
    }

    private static KeyStore certificateOf(Path file) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, new char[0]);
        KeyStore from = load(file);
        store.setCertificateEntry("it", from.getCertificate(from.aliases().nextElement()));
        return store;
    }

    /** A name's private key, as {@code NAME.key}: PEM, PKCS #8. */
    public Path writeKey(String name) throws IOException, GeneralSecurityException {
        var key = load(folder.resolve(name + ".p12")).getKey(name, "secret".toCharArray());
        return Files.writeString(
                folder.resolve(name + ".key"),
                "-----BEGIN PRIVATE KEY-----\n" + Base64.getMimeEncoder().encodeToString(key.getEncoded())
                        + "\n-----END PRIVATE KEY-----\n");
    }
}
