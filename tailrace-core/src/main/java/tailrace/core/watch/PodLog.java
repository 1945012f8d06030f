package tailrace.core.watch;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tailrace.linux.LinuxPath;

/**
 * What the path of a container's log says, by the names of OpenTelemetry's conventions. The kubelet writes {@code
 * /var/log/pods/NAMESPACE_POD_UID/CONTAINER/RESTARTS.log}, and links to that from {@code
 * /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log}.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/semconv/resource/k8s/">Kubernetes attributes</a>
 */
public final class PodLog {
    private static final Pattern POD = Pattern.compile(".*/pods/([^/_]+)_([^/_]+)_([^/_]+)/([^/]+)/(\\d+)\\.log[^/]*");
    private static final Pattern CONTAINER =
            Pattern.compile(".*/containers/([^/_]+)_([^/_]+)_([^/]+)-([0-9a-f]{64})\\.log");

    private static final String NAMESPACE_NAME = "k8s.namespace.name";
    private static final String POD_NAME = "k8s.pod.name";
    private static final String CONTAINER_NAME = "k8s.container.name";

    private PodLog() {}

    /** Empty if the path is that of another file. Sorted by name. */
    public static Map<String, String> attributes(LinuxPath path) {
        var attributes = new TreeMap<String, String>();
        Matcher pod = POD.matcher(path.toString());
        Matcher container = CONTAINER.matcher(path.toString());
        if (pod.matches()) {
            attributes.put(NAMESPACE_NAME, pod.group(1));
            attributes.put(POD_NAME, pod.group(2));
            attributes.put("k8s.pod.uid", pod.group(3));
            attributes.put(CONTAINER_NAME, pod.group(4));
            attributes.put("k8s.container.restart_count", pod.group(5));
        } else if (container.matches()) {
            attributes.put(POD_NAME, container.group(1));
            attributes.put(NAMESPACE_NAME, container.group(2));
            attributes.put(CONTAINER_NAME, container.group(3));
            attributes.put("container.id", container.group(4));
        }
        return attributes;
    }
}
