package tailrace.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import tailrace.linux.Fd;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;
import tailrace.linux.OpenHow;
import tailrace.linux.TcpSocket;

/** A backlog to a TCP peer on this machine, against a loop of sendfile calls; measured at the receiver. */
final class TcpBench {
    private static final int BUFFER_BYTES = 1 << 20;
    private static final long STEP_BYTES = 16L << 20;

    private final Bed bed;
    private final Report report;
    private final long bytes;
    private final int rounds;

    TcpBench(Bed bed, Report report, long bytes, int rounds) {
        this.bed = bed;
        this.report = report;
        this.bytes = bytes;
        this.rounds = rounds;
    }

    void run(int files, String integrity) throws IOException {
        Path source = bed.lines("lines-" + files, files, bytes);
        long size = Bed.size(source);
        var ratios = new ArrayList<Double>();
        var rates = new ArrayList<Double>();
        for (int i = 0; i < rounds; i++) {
            Bed.warm(source);
            double loop = sendfileLoop(source, size);
            Bed.warm(source);
            double ship = ship(source, size, integrity);
            ratios.add(loop / ship);
            rates.add(size / 1e6 / loop);
        }
        report.title("%d bytes in %d files -> TCP sink, framing raw, integrity %s; against a sendfile loop"
                .formatted(size, files, integrity));
        report.line("sendfile loop", "%.0f MB/s".formatted(Report.median(rates)));
        report.atLeast("rate, first to last byte, of the loop's", Report.median(ratios), 0.8, "");
    }

    /** Seconds from the first byte to the last. */
    private static CompletableFuture<Double> receive(ServerSocketChannel server, long size) {
        return CompletableFuture.supplyAsync(
                () -> {
                    ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
                    try (SocketChannel peer = server.accept()) {
                        long received = 0;
                        long begun = 0;
                        while (received < size) {
                            buffer.clear();
                            int n = peer.read(buffer);
                            if (n < 0) {
                                throw new IllegalStateException("closed after " + received + " of " + size + " bytes");
                            }
                            begun = begun == 0 ? System.nanoTime() : begun;
                            received += n;
                        }
                        return (System.nanoTime() - begun) / 1e9;
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                },
                task -> Thread.ofPlatform().daemon().start(task));
    }

    private static ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static int port(ServerSocketChannel server) throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private static double sendfileLoop(Path source, long size) throws IOException {
        Kernel kernel = new LinuxKernel();
        try (ServerSocketChannel server = listen()) {
            CompletableFuture<Double> seconds = receive(server, size);
            try (TcpSocket socket = TcpSocket.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port(server)), Duration.ofSeconds(30))) {
                for (Path file : Bed.files(source)) {
                    Fd fd = kernel.files()
                            .open(Fd.CURRENT_DIRECTORY, LinuxPath.of(file.toString()), OpenHow.read())
                            .orElseThrow();
                    long at = 0;
                    for (long n = 1; n > 0; at += n) {
                        n = kernel.copies().sendfile(socket.fd(), fd, at, STEP_BYTES);
                    }
                    kernel.files().close(fd);
                }
                return seconds.join();
            }
        }
    }

    private double ship(Path source, long size, String integrity) throws IOException {
        bed.delete("state");
        try (ServerSocketChannel server = listen()) {
            CompletableFuture<Double> seconds = receive(server, size);
            Path output = bed.path("output.txt");
            Child.Measured measured = Child.startTailrace(
                            output,
                            List.of(
                                    "ship",
                                    "--include",
                                    source + "/*.log",
                                    "--to",
                                    "tcp://127.0.0.1:" + port(server),
                                    "--framing",
                                    "raw",
                                    "--integrity",
                                    integrity,
                                    "--state",
                                    bed.path("state").toString()))
                    .await();
            if (measured.exit() != 0) {
                throw new IOException("ship failed: " + Files.readString(output, StandardCharsets.UTF_8));
            }
            return seconds.join();
        }
    }
}
