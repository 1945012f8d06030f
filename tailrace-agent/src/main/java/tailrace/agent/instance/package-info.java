/** What the instance and its provider tell: that it will go, and which disks go with it. */
@NullMarked
package tailrace.agent.instance;

import org.jspecify.annotations.NullMarked;
