package tailrace.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Prints what was measured, with the target beside it. */
final class Report {
    private int missed;

    void title(String title) {
        System.out.println();
        System.out.println(title);
    }

    void line(String what, String value) {
        System.out.printf("  %-58s %s%n", what, value);
    }

    /** A figure that must not be below a target. */
    void atLeast(String what, double value, double target, String unit) {
        verdict(what, value, target, unit, value >= target, "at least");
    }

    /** A figure that must not be above a target. */
    void atMost(String what, double value, double target, String unit) {
        verdict(what, value, target, unit, value <= target, "at most");
    }

    private void verdict(String what, double value, double target, String unit, boolean met, String word) {
        if (!met) {
            missed++;
        }
        System.out.printf(
                Locale.ROOT,
                "  %-58s %8.2f%s  (%s %s%s) %s%n",
                what,
                value,
                unit,
                word,
                number(target),
                unit,
                met ? "ok" : "MISSED");
    }

    private static String number(double target) {
        return target == Math.rint(target) ? "%.0f".formatted(target) : "%.1f".formatted(target);
    }

    int missed() {
        return missed;
    }

    static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    static double percentile(double[] values, double share) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    }
}
