/** S3 and what speaks its protocol. Start at {@link tailrace.sink.s3.S3Store}. */
@NullMarked
package tailrace.sink.s3;

import org.jspecify.annotations.NullMarked;
