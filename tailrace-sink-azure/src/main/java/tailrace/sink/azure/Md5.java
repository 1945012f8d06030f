package tailrace.sink.azure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import tailrace.core.deliver.BatchContent;

/** What Azure checks of a request's bytes. */
final class Md5 {
    private static final int BUFFER_BYTES = 128 << 10;

    private Md5() {}

    /** Of the bytes {@code [from, to)} of a batch. */
    static byte[] of(BatchContent content, long from, long to) {
        try (InputStream in = content.stream(from, to)) {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            byte[] buffer = new byte[BUFFER_BYTES];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
            return digest.digest();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has it", e);
        }
    }
}
