package tailrace.agent.instance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tailrace.core.Event;
import tailrace.core.EventLog;
import tailrace.core.deliver.Finding;
import tailrace.testkit.FaultProxy;
import tailrace.testkit.FaultProxy.Fault;

/** Against a server that answers, and refuses, as those of the providers. */
class NoticeSourceTest {
    private static final String AWS = "/latest/meta-data/";
    private static final String GCE = "/computeMetadata/v1/instance/";
    private static final String AZURE_EVENTS = "/metadata/scheduledevents?api-version=2020-07-01";

    @TempDir
    Path folder;

    private MetadataServer server;
    private Metadata client;

    @BeforeEach
    void start() throws IOException {
        server = new MetadataServer();
        client = new Metadata();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private NoticeSource source(String provider) {
        return new NoticeSettings(List.of(provider), Optional.of(server.url()), Optional.empty(), Optional.empty())
                .sources(client)
                .getFirst();
    }

    @Test
    void awsTellsOfSpotInterruptionsWithTheirTime() throws Exception {
        NoticeSource aws = source("aws");
        assertThat(aws.look()).isEmpty();
        server.put(AWS + "spot/instance-action", "{\"action\": \"terminate\", \"time\": \"2030-09-18T08:22:00Z\"}");
        assertThat(aws.look())
                .contains(new Notice("EC2 will terminate this spot instance", Instant.parse("2030-09-18T08:22:00Z")));
    }

    @Test
    void awsTellsOfRebalanceRecommendationsAndOfItsAutoScalingGroup() throws Exception {
        NoticeSource aws = source("aws");
        server.put(AWS + "events/recommendations/rebalance", "{\"noticeTime\": \"2030-10-27T08:22:00Z\"}");
        assertThat(aws.look().orElseThrow().text()).contains("recommends to leave");
        server.put(AWS + "autoscaling/target-lifecycle-state", "InService");
        assertThat(aws.look().orElseThrow().text()).contains("recommends to leave");
        server.put(AWS + "autoscaling/target-lifecycle-state", "Terminated");
        assertThat(aws.look().orElseThrow().text()).contains("Auto Scaling");
    }

    @Test
    void anotherTokenIsFetchedWhenTheFirstIsRefused() throws Exception {
        NoticeSource aws = source("aws");
        assertThat(aws.look()).isEmpty();
        server.forgetToken();
        assertThat(aws.look()).isEmpty();
    }

    @Test
    void anInterruptionWithoutATimeIsAnError() {
        server.put(AWS + "spot/instance-action", "{\"action\": \"stop\"}");
        assertThatThrownBy(() -> source("aws").look())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("time");
    }

    @Test
    void gceTellsOfPreemptionAndMaintenance() throws Exception {
        NoticeSource gce = source("gce");
        server.put(GCE + "preempted", "FALSE");
        server.put(GCE + "maintenance-event", "NONE");
        assertThat(gce.look()).isEmpty();
        server.put(GCE + "maintenance-event", "MIGRATE_ON_HOST_MAINTENANCE");
        assertThat(gce.look()).isEmpty();
        server.put(GCE + "maintenance-event", "TERMINATE_ON_HOST_MAINTENANCE");
        assertThat(gce.look().orElseThrow().text()).contains("maintenance");
        server.put(GCE + "preempted", "TRUE");
        Notice notice = gce.look().orElseThrow();
        assertThat(notice.text()).contains("preempts");
        assertThat(Duration.between(Instant.now(), notice.at()))
                .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(31));
    }

    @Test
    void azureTellsOfEventsOfThisMachineAlone() throws Exception {
        NoticeSource azure = source("azure");
        server.put("/metadata/instance/compute/name?api-version=2021-02-01&format=text", "vm-7");
        server.put(AZURE_EVENTS, "{\"DocumentIncarnation\": 0, \"Events\": []}");
        assertThat(azure.look()).isEmpty();
        server.put(AZURE_EVENTS, event("Freeze", "vm-7"));
        assertThat(azure.look()).as("it goes on after that").isEmpty();
        server.put(AZURE_EVENTS, event("Preempt", "vm-8"));
        assertThat(azure.look()).as("another machine's").isEmpty();
        server.put(AZURE_EVENTS, event("Preempt", "vm-8\", \"vm-7"));
        assertThat(azure.look())
                .contains(new Notice(
                        "Azure: Preempt of this machine (event 6023)", Instant.parse("2033-09-19T18:29:47Z")));
    }

    private static String event(String type, String machine) {
        return """
            {"DocumentIncarnation": 2, "Events": [{"EventId": "6023", "EventStatus": "Scheduled", "EventType": "%s",
             "ResourceType": "VirtualMachine", "Resources": ["%s"], "NotBefore": "Mon, 19 Sep 2033 18:29:47 GMT",
             "Description": "", "EventSource": "Platform", "DurationInSeconds": -1}]}\
            """.formatted(type, machine);
    }

    @Test
    void aFileAndAUrlTellToo() throws Exception {
        Path file = folder.resolve("preempted");
        var url = URI.create(server.url() + "/leaving");
        List<NoticeSource> sources =
                new NoticeSettings(List.of(), Optional.empty(), Optional.of(file), Optional.of(url)).sources(client);
        for (NoticeSource source : sources) {
            assertThat(source.look()).as(source.name()).isEmpty();
        }
        Files.createFile(file);
        server.put("/leaving", "yes");
        for (NoticeSource source : sources) {
            assertThat(source.look()).as(source.name()).isPresent();
        }
    }

    @Test
    void eachNoticeIsPassedOnOnceAndAServerThatIsNotThereIsReported() throws Exception {
        BlockingQueue<Duration> passedOn = new LinkedBlockingQueue<>();
        BlockingQueue<Event> events = new LinkedBlockingQueue<>();
        var log = new EventLog((event, line) -> events.add(event));
        Path file = Files.createFile(folder.resolve("preempted"));
        server.close();
        var settings =
                new NoticeSettings(List.of("gce"), Optional.of(server.url()), Optional.of(file), Optional.empty());
        try (NoticeWatch watch = NoticeWatch.start(settings, log, passedOn::add)) {
            assertThat(events.poll(10, TimeUnit.SECONDS)).isEqualTo(Event.NOTICE_UNAVAILABLE);
            assertThat(passedOn.poll(10, TimeUnit.SECONDS)).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(31));
            assertThat(passedOn.poll(2500, TimeUnit.MILLISECONDS))
                    .as("it is looked at again")
                    .isNull();
        }
        assertThat(log.count(Event.NOTICE)).isEqualTo(1);
        assertThat(log.count(Event.NOTICE_UNAVAILABLE)).isGreaterThan(1);
    }

    /** Whatever the server does meanwhile, the notice is passed on when it answers again. */
    @Test
    void aServerInTroubleIsAskedAgain() throws Exception {
        List<Fault> troubles = List.of(
                new Fault.Reset(0),
                new Fault.Answer(500, ""),
                new Fault.Answer(503, "Retry-After: 1\r\n"),
                new Fault.Answer(429, ""),
                new Fault.SlowLoris(10),
                new Fault.LostAnswers(0));
        server.put("/metadata/instance/compute/name?api-version=2021-02-01&format=text", "vm-7");
        server.put(AZURE_EVENTS, event("Preempt", "vm-7"));
        BlockingQueue<Duration> passedOn = new LinkedBlockingQueue<>();
        var log = new EventLog((event, line) -> {});
        try (var proxy =
                new FaultProxy(server.url().getPort(), n -> n < troubles.size() ? troubles.get(n) : new Fault.None())) {
            var url = URI.create("http://127.0.0.1:" + proxy.port());
            var settings = new NoticeSettings(List.of("azure"), Optional.of(url), Optional.empty(), Optional.empty());
            try (NoticeWatch watch = NoticeWatch.start(settings, log, passedOn::add)) {
                assertThat(passedOn.poll(60, TimeUnit.SECONDS)).isPositive();
            }
            assertThat(proxy.connections()).as("each trouble was met").isGreaterThan(troubles.size());
        }
        assertThat(log.count(Event.NOTICE_UNAVAILABLE)).isPositive();
    }

    @Test
    void answersThatAreNoneDoNotEndTheWatch() throws Exception {
        List<String> garbage = List.of("", "{", "null", "[]", "{\"Events\": 7}", "<html>", "\u0000");
        for (String provider : NoticeSettings.PROVIDERS) {
            NoticeSource source = source(provider);
            for (String answer : garbage) {
                for (String path : List.of(
                        AWS + "spot/instance-action",
                        AWS + "events/recommendations/rebalance",
                        GCE + "preempted",
                        GCE + "maintenance-event",
                        "/metadata/instance/compute/name?api-version=2021-02-01&format=text",
                        AZURE_EVENTS)) {
                    server.put(path, answer);
                }
                BlockingQueue<Duration> passedOn = new LinkedBlockingQueue<>();
                var settings = new NoticeSettings(
                        List.of(provider),
                        Optional.of(server.url()),
                        Optional.of(folder.resolve("gone")),
                        Optional.empty());
                Files.deleteIfExists(folder.resolve("gone"));
                var log = new EventLog((event, line) -> {});
                try (NoticeWatch watch = NoticeWatch.start(settings, log, passedOn::add)) {
                    Files.createFile(folder.resolve("gone"));
                    assertThat(passedOn.poll(10, TimeUnit.SECONDS))
                            .as("%s after %s", source.name(), answer)
                            .isNotNull();
                }
            }
        }
    }

    @Test
    void theDoctorAsksToo() throws Exception {
        server.put(GCE + "preempted", "FALSE");
        server.put(GCE + "maintenance-event", "NONE");
        var settings = new NoticeSettings(
                List.of("gce", "azure"), Optional.of(server.url()), Optional.empty(), Optional.empty());
        assertThat(NoticeWatch.check(settings))
                .extracting(Finding::grade)
                .containsExactly(Finding.Grade.OK, Finding.Grade.FAIL);
        server.put(GCE + "preempted", "TRUE");
        assertThat(NoticeWatch.check(settings).getFirst().grade()).isEqualTo(Finding.Grade.WARN);
    }
}
