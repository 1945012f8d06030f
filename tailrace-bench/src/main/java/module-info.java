/** Comparisons, printed as ratios. */
module tailrace.bench {
    requires tailrace.core;
    requires static org.jspecify;
}
