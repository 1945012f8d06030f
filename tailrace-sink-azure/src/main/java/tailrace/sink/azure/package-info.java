/** Azure's blob storage. Start at {@link tailrace.sink.azure.AzureStore}. */
@NullMarked
package tailrace.sink.azure;

import org.jspecify.annotations.NullMarked;
