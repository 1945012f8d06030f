package tailrace.core.deliver;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.Optional;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;

/** Why no answer came from a server, in words for a person: the network, names, and certificates. */
public final class Unreached {
    private static final int MOST_CAUSES = 20;

    private Unreached() {}

    /**
     * What stands behind a failed request.
     *
     * @param where the server, for the message
     * @return empty if it is nothing of the network
     */
    public static Optional<String> explain(String where, Throwable failure) {
        return cause(failure, UnknownHostException.class::isInstance)
                .or(() -> cause(failure, UnresolvedAddressException.class::isInstance))
                .map(e -> where + ": the name cannot be resolved"
                        + Optional.ofNullable(e.getMessage())
                                .map(m -> " (" + m + ")")
                                .orElse("")
                        + ". Correct it, or look at the DNS")
                .or(() -> cause(failure, CertificateExpiredException.class::isInstance)
                        .map(e -> where
                                + ": the server's certificate has expired. Renew it, or set this machine's clock"))
                .or(() -> cause(failure, e -> e instanceof CertificateException || e instanceof SSLException)
                        .map(e -> where + ": no secure connection: "
                                + deepest(e).getMessage()
                                + ". The certificate must be valid for the server's name, and its issuer trusted here"))
                .or(() -> cause(failure, ConnectException.class::isInstance)
                        .map(e -> where + ": the connection is refused. Is the server running, and may we reach it?"))
                .or(() -> cause(failure, Unreached::isTimeout).map(e -> where + ": no answer in time"));
    }

    private static boolean isTimeout(Throwable e) {
        return e instanceof SocketTimeoutException
                || e.getClass().getSimpleName().contains("Timeout");
    }

    private static Optional<Throwable> cause(Throwable failure, Predicate<Throwable> which) {
        Throwable e = failure;
        for (int i = 0; e != null && i < MOST_CAUSES; i++) {
            if (which.test(e)) {
                return Optional.of(e);
            }
            e = e.getCause();
        }
        return Optional.empty();
    }

    private static Throwable deepest(Throwable failure) {
        Throwable e = failure;
        for (int i = 0; e.getCause() != null && i < MOST_CAUSES; i++) {
            e = e.getCause();
        }
        return e;
    }
}
