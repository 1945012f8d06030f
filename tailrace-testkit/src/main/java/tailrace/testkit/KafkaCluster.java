package tailrace.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka cluster of processes on this machine, whose nodes can be killed and started again. Each is broker and
 * controller. Of three nodes, any one may be down.
 */
public final class KafkaCluster implements AutoCloseable {
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final String CLUSTER_ID = "dGFpbHJhY2UtdGVzdC0xMg";

    /** One process. */
    private static final class Node {
        final int id;
        final Path folder;
        final int clientPort;
        final int internalPort;
        final int controllerPort;

        @Nullable
        Process process;

        Node(int id, Path folder) throws IOException {
            this.id = id;
            this.folder = Files.createDirectories(folder);
            this.clientPort = ServerProcess.freePort();
            this.internalPort = ServerProcess.freePort();
            this.controllerPort = ServerProcess.freePort();
        }

        Path output() {
            return folder.resolve("kafka.txt");
        }

        Path config() {
            return folder.resolve("server.properties");
        }
    }

    /** By which port clients find a node that listens on the given one: its own, or a proxy's. */
    public interface Advertised {
        int port(int listening) throws IOException;
    }

    private final String classPath;
    private final List<Node> nodes = new ArrayList<>();

    /**
     * Formats the nodes' storages and starts them.
     *
     * @param folder for what they store, and what they say
     * @param classPath holds Kafka
     * @param protocol of the clients' listeners: PLAINTEXT, SASL_PLAINTEXT, ...
     * @param properties further ones, each as name=value
     */
    public KafkaCluster(
            Path folder, String classPath, int count, String protocol, Advertised advertised, List<String> properties)
            throws IOException {
        this(folder, classPath, count, protocol, advertised, properties, List.of());
    }

    /**
     * As above.
     *
     * @param credentials of users for SCRAM, each as {@code SCRAM-SHA-512=[name=N,password=P]}
     */
    public KafkaCluster(
            Path folder,
            String classPath,
            int count,
            String protocol,
            Advertised advertised,
            List<String> properties,
            List<String> credentials)
            throws IOException {
        this.classPath = classPath;
        for (int id = 1; id <= count; id++) {
            nodes.add(new Node(id, folder.resolve("kafka-" + id)));
        }
        for (Node node : nodes) {
            var lines = new ArrayList<>(properties(node, protocol, advertised.port(node.clientPort)));
            lines.addAll(properties);
            Files.write(node.config(), lines);
            format(node, credentials);
            launch(node);
        }
        for (Node node : nodes) {
            await(node);
        }
    }

    private List<String> properties(Node node, String protocol, int advertisedPort) {
        String voters =
                nodes.stream().map(n -> n.id + "@127.0.0.1:" + n.controllerPort).collect(Collectors.joining(","));
        String internal = "INTERNAL://127.0.0.1:" + node.internalPort;
        int copies = nodes.size();
        int least = (copies + 1) / 2;
        return List.of(
                "process.roles=broker,controller",
                "node.id=" + node.id,
                "controller.quorum.voters=" + voters,
                "listeners=CLIENT://127.0.0.1:" + node.clientPort + "," + internal + ",CONTROLLER://127.0.0.1:"
                        + node.controllerPort,
                "advertised.listeners=CLIENT://127.0.0.1:" + advertisedPort + "," + internal,
                "listener.security.protocol.map=CLIENT:" + protocol + ",INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "controller.listener.names=CONTROLLER",
                "inter.broker.listener.name=INTERNAL",
                "log.dirs=" + node.folder.resolve("logs"),
                "auto.create.topics.enable=false",
                "default.replication.factor=" + copies,
                "min.insync.replicas=" + least,
                "offsets.topic.replication.factor=" + copies,
                "offsets.topic.num.partitions=1",
                "transaction.state.log.replication.factor=" + copies,
                "transaction.state.log.min.isr=" + least,
                "transaction.state.log.num.partitions=2",
                "transaction.abort.timed.out.transaction.cleanup.interval.ms=1000",
                "broker.session.timeout.ms=3000",
                "broker.heartbeat.interval.ms=500");
    }

    private void format(Node node, List<String> credentials) throws IOException {
        var program = new ArrayList<>(List.of(
                "kafka.tools.StorageTool",
                "format",
                "-t",
                CLUSTER_ID,
                "-c",
                node.config().toString()));
        for (String credential : credentials) {
            program.addAll(List.of("--add-scram", credential));
        }
        Process format = java(node, program.toArray(String[]::new));
        try {
            if (format.waitFor() != 0) {
                throw new IOException("Kafka does not format its storage: " + Files.readString(node.output()));
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private Process java(Node node, String... program) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx384m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath));
        command.addAll(List.of(program));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(node.output().toFile()))
                .start();
    }

    private void launch(Node node) throws IOException {
        node.process = java(node, "kafka.Kafka", node.config().toString());
    }

    private static void await(Node node) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!answers(node.clientPort)) {
            Process process = node.process;
            if (process == null || !process.isAlive() || System.nanoTime() > deadline) {
                throw new IOException("Kafka does not start: " + Files.readString(node.output()));
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    private static boolean answers(int port) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends a node as kill -9 does. */
    public void kill(int index) {
        Node node = nodes.get(index);
        Process running = node.process;
        node.process = null;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    /** Starts a node that was killed, and waits until it can be connected to. */
    public void start(int index) throws IOException {
        launch(nodes.get(index));
        await(nodes.get(index));
    }

    /** Where the first node listens. */
    public int port() {
        return nodes.getFirst().clientPort;
    }

    @Override
    public void close() {
        for (int i = 0; i < nodes.size(); i++) {
            kill(i);
        }
    }
}
