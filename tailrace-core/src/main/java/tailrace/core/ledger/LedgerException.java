package tailrace.core.ledger;

import java.io.IOException;

/** The ledger cannot be used; the message says why and what a person can do. */
public final class LedgerException extends IOException {
    public LedgerException(String message) {
        super(message);
    }

    public LedgerException(String message, Throwable cause) {
        super(message, cause);
    }
}
