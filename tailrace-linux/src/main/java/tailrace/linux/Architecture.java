package tailrace.linux;

/** The processor architectures whose system call numbers and structure layouts are known here. */
enum Architecture {
    X86_64,
    AARCH64;

    static final Architecture CURRENT = current();

    private static Architecture current() {
        String name = System.getProperty("os.arch");
        return switch (name) {
            case "amd64", "x86_64" -> X86_64;
            case "aarch64" -> AARCH64;
            default ->
                throw new UnsupportedOperationException(
                        "tailrace knows the system calls of x86-64 and aarch64, not of " + name);
        };
    }

    /** {@code epoll_event} is packed on x86-64 only: 12 bytes there, 16 elsewhere (eventpoll.h). */
    int epollEventSizeBytes() {
        return this == X86_64 ? 12 : 16;
    }

    int epollDataOffset() {
        return this == X86_64 ? 4 : 8;
    }
}
