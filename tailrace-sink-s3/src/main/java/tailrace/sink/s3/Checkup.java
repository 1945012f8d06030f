package tailrace.sink.s3;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.awscore.AwsResponse;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;
import tailrace.core.deliver.Finding;

/** Tries what a delivery needs: to create an object, and to be refused when it is there. */
final class Checkup {
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(5);

    private final S3Client client;
    private final ObjectForm form;
    private final Failures failures;
    private final List<Finding> findings = new ArrayList<>();

    Checkup(S3Client client, ObjectForm form, Failures failures) {
        this.client = client;
        this.form = form;
        this.failures = failures;
    }

    /** @param name of an object that is left there, empty, below {@code _tailrace/doctor/} */
    List<Finding> run(String name) {
        String key = form.prefix() + "_tailrace/doctor/" + name;
        try {
            create(key);
            createAgain(key);
        } catch (SdkException e) {
            findings.add(Finding.fail(String.valueOf(failures.of(e).getMessage())));
        }
        return findings;
    }

    private void create(String key) {
        try {
            clock(client.putObject(form.put(key).build(), RequestBody.empty()));
        } catch (S3Exception e) {
            if (e.statusCode() != Failures.PRECONDITION_FAILED) { // left by an earlier call
                throw e;
            }
        }
        findings.add(Finding.ok("objects can be created in s3://" + form.bucket() + "/" + form.prefix()));
    }

    private void createAgain(String key) {
        if (!form.createOnly()) {
            findings.add(Finding.warn("create_only is false: what exists can be overwritten"));
            return;
        }
        try {
            client.putObject(form.put(key).build(), RequestBody.empty());
            findings.add(Finding.fail("the server overwrites what exists although it is told not to (If-None-Match):"
                    + " use a newer one, or say create_only: false"));
        } catch (S3Exception e) {
            if (e.statusCode() != Failures.PRECONDITION_FAILED) {
                throw e;
            }
            findings.add(Finding.ok("and are not overwritten"));
        }
    }

    private void clock(AwsResponse response) {
        response.sdkHttpResponse().firstMatchingHeader("Date").ifPresent(date -> {
            try {
                Instant there = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                        .toInstant();
                if (Duration.between(there, Instant.now()).abs().compareTo(CLOCK_TOLERANCE) > 0) {
                    findings.add(Finding.warn("the server's clock says " + there + "; run NTP on both"));
                }
            } catch (DateTimeParseException e) {
                findings.add(Finding.warn("the server's date is none: " + date));
            }
        });
    }
}
