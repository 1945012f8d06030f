/** Programs that nobody here wrote, which write, rotate, move and edit the files that are followed. */
@NullMarked
package tailrace.testkit.realwriters;

import org.jspecify.annotations.NullMarked;
