package tailrace.sink.s3;

import java.util.Map;
import software.amazon.awssdk.core.sync.RequestBody;
import tailrace.testkit.contract.ObjectStoreContract;

/** What all servers of S3 must show, looked into by the SDK. */
abstract class S3Contract extends ObjectStoreContract {
    /** Started before the first test. */
    abstract S3Server server();

    @Override
    protected final String type() {
        return "s3";
    }

    @Override
    protected final int port() {
        return server().port();
    }

    @Override
    protected final Map<String, Object> settings(int port) {
        return S3Server.settings(port);
    }

    @Override
    protected final Map<String, byte[]> objects(String beginning) {
        return server().objects(beginning);
    }

    @Override
    protected final void put(String key, byte[] content) {
        server().client().putObject(r -> r.bucket(S3Server.BUCKET).key(key), RequestBody.fromBytes(content));
    }
}
