package tailrace.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tailrace.linux.LinuxPath;

class PodLogTest {
    @Test
    void bothPathsOfAContainersLogAreRead() {
        assertThat(PodLog.attributes(LinuxPath.of("/var/log/pods/ns_pod-1_u-2/app/12.log.20261121-101010")))
                .containsEntry("k8s.namespace.name", "ns")
                .containsEntry("k8s.pod.name", "pod-1")
                .containsEntry("k8s.pod.uid", "u-2")
                .containsEntry("k8s.container.name", "app")
                .containsEntry("k8s.container.restart_count", "12");
        String id = "0123456789abcdef".repeat(4);
        assertThat(PodLog.attributes(LinuxPath.of("/var/log/containers/pod-1_ns_side-car-" + id + ".log")))
                .containsEntry("k8s.namespace.name", "ns")
                .containsEntry("k8s.pod.name", "pod-1")
                .containsEntry("k8s.container.name", "side-car")
                .containsEntry("container.id", id);
    }

    @Test
    void otherPathsSayNothing() {
        assertThat(PodLog.attributes(LinuxPath.of("/var/log/app/ns_pod_uid.log")))
                .isEmpty();
        assertThat(PodLog.attributes(LinuxPath.of("/var/log/pods/nothing/app/1.log")))
                .isEmpty();
    }
}
