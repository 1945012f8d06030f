/** What a fleet's manifests prove. */
@NullMarked
package tailrace.testkit.manifest;

import org.jspecify.annotations.NullMarked;
