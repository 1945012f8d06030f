/**
 * Linux I/O from plain Java: the system calls that tailrace needs, bound by {@code java.lang.foreign}.
 *
 * <p>Usable alone. Start at {@link tailrace.linux.LinuxKernel}; run with {@code --enable-native-access=tailrace.linux}.
 */
module tailrace.linux {
    requires static org.jspecify;

    exports tailrace.linux;
}
