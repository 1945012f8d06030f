/** Google Cloud Storage. Start at {@link tailrace.sink.gcs.GcsStore}. */
@NullMarked
package tailrace.sink.gcs;

import org.jspecify.annotations.NullMarked;
