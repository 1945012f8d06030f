package tailrace.sink.http;

import tailrace.core.batch.Batch;
import tailrace.core.deliver.DeliveryException;
import tailrace.core.deliver.Taken;

/** The body of one request, while records are put into it. */
interface Envelope {
    /** A way to write them. */
    enum Kind {
        /** A line of JSON for each record. */
        NDJSON("application/x-ndjson") {
            @Override
            Envelope open(String host, Batch batch) {
                return new JsonEnvelope(host, batch, false);
            }
        },
        /** An object with the records in an array. */
        JSON("application/json") {
            @Override
            Envelope open(String host, Batch batch) {
                return new JsonEnvelope(host, batch, true);
            }
        },
        /** An ExportLogsServiceRequest of OpenTelemetry's protocol, as protobuf. */
        OTLP("application/x-protobuf") {
            @Override
            Envelope open(String host, Batch batch) {
                return new OtlpEnvelope(host, batch);
            }

            @Override
            void check(byte[] answer) throws DeliveryException {
                OtlpEnvelope.checkAnswer(answer);
            }
        };

        private final String contentType;

        Kind(String contentType) {
            this.contentType = contentType;
        }

        String contentType() {
            return contentType;
        }

        abstract Envelope open(String host, Batch batch);

        /** Looks at an answer of success, which may say that not all was taken. */
        void check(byte[] answer) throws DeliveryException {}
    }

    /** Adds a record. */
    void add(Taken taken);

    /** So far; 0 if there is no record in it. */
    int sizeBytes();

    /** The body: nothing can be added after that. */
    byte[] close();
}
