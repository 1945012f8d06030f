package tailrace.agent.instance;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Who is asked whether the instance will go.
 *
 * @param providers of {@code aws}, {@code gce}, {@code azure}
 * @param metadata their server, if not the usual one
 */
public record NoticeSettings(List<String> providers, Optional<URI> metadata, Optional<Path> file, Optional<URI> url) {
    public static final List<String> PROVIDERS = List.of("aws", "gce", "azure");
    public static final NoticeSettings NONE =
            new NoticeSettings(List.of(), Optional.empty(), Optional.empty(), Optional.empty());

    public NoticeSettings {
        providers = List.copyOf(providers);
        for (String provider : providers) {
            if (!PROVIDERS.contains(provider)) {
                throw new IllegalArgumentException("drain.notices are of " + PROVIDERS + ", not '" + provider + "'");
            }
        }
    }

    List<NoticeSource> sources(Metadata client) {
        var sources = new ArrayList<NoticeSource>();
        for (String provider : providers) {
            sources.add(
                    switch (provider) {
                        case "aws" -> new AwsNotices(client, metadata.orElse(AwsNotices.USUAL));
                        case "gce" -> new GceNotices(client, metadata.orElse(GceNotices.USUAL));
                        default -> new AzureNotices(client, metadata.orElse(AzureNotices.USUAL));
                    });
        }
        file.ifPresent(path -> sources.add(new FileNotice(path)));
        url.ifPresent(where -> sources.add(new UrlNotice(client, where)));
        return sources;
    }
}
