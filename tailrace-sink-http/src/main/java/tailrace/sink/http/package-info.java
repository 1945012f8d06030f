/** HTTP servers as destinations. Start at {@link tailrace.sink.http.HttpSink}. */
@NullMarked
package tailrace.sink.http;

import org.jspecify.annotations.NullMarked;
