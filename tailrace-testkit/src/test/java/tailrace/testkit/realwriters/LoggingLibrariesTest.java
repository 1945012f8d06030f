package tailrace.testkit.realwriters;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeAndTimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.util.FileSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.FileHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rolling appenders that JVM services use, rolling many times a second. */
class LoggingLibrariesTest {
    private static final int LINES = 30_000;

    /** What is compressed is deleted at once: of so many bytes, each file lives for some tens of milliseconds. */
    private static String sizeOf(String rolled) {
        return rolled.endsWith(".gz") ? "500KB" : "50KB";
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"app-%i.log", "app-%i.log.gz"})
    void log4jRollsWithoutLossOrDoubles(String rolled) throws IOException {
        try (var scene = new Scene(folder, "objects")) {
            var builder = ConfigurationBuilderFactory.newConfigurationBuilder();
            builder.add(builder.newAppender("rolling", "RollingFile")
                    .addAttribute("fileName", scene.in.resolve("app.log"))
                    .addAttribute("filePattern", scene.in.resolve(rolled))
                    .add(builder.newLayout("PatternLayout").addAttribute("pattern", "%m%n"))
                    .addComponent(builder.newComponent("Policies")
                            .addComponent(builder.newComponent("SizeBasedTriggeringPolicy")
                                    .addAttribute("size", sizeOf(rolled))))
                    .addComponent(
                            builder.newComponent("DefaultRolloverStrategy").addAttribute("fileIndex", "nomax")));
            builder.add(
                    builder.newRootLogger(org.apache.logging.log4j.Level.INFO).add(builder.newAppenderRef("rolling")));
            try (var context = Configurator.initialize(builder.build(false))) {
                var logger = context.getLogger("app");
                for (int i = 0; i < LINES; i++) {
                    logger.info(Scene.line("log4j", i));
                }
            }
            scene.written("log4j", LINES);
            scene.assertAllArrivedOnce();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"app.%i.log", "app.%d{yyyy-MM-dd}.%i.log", "app.%d{yyyy-MM-dd}.%i.log.gz"})
    void logbackRollsWithoutLossOrDoubles(String rolled) throws IOException {
        try (var scene = new Scene(folder, "objects")) {
            var context = new LoggerContext();
            context.setMDCAdapter(new LogbackMDCAdapter());
            var appender = new RollingFileAppender<ILoggingEvent>();
            appender.setContext(context);
            appender.setFile(scene.in.resolve("app.log").toString());
            String pattern = scene.in.resolve(rolled).toString();
            if (rolled.contains("%d")) {
                var policy = new TimeBasedRollingPolicy<ILoggingEvent>();
                policy.setContext(context);
                policy.setParent(appender);
                policy.setFileNamePattern(pattern);
                var sizes = new SizeAndTimeBasedFileNamingAndTriggeringPolicy<ILoggingEvent>();
                sizes.setContext(context);
                sizes.setMaxFileSize(FileSize.valueOf(sizeOf(rolled)));
                policy.setTimeBasedFileNamingAndTriggeringPolicy(sizes);
                policy.start();
                appender.setRollingPolicy(policy);
                appender.setTriggeringPolicy(policy);
            } else {
                var policy = new FixedWindowRollingPolicy();
                policy.setContext(context);
                policy.setParent(appender);
                policy.setFileNamePattern(pattern);
                policy.setMinIndex(1);
                policy.setMaxIndex(20);
                policy.start();
                appender.setRollingPolicy(policy);
                var trigger = new SizeBasedTriggeringPolicy<ILoggingEvent>();
                trigger.setContext(context);
                trigger.setMaxFileSize(FileSize.valueOf("250KB"));
                trigger.setCheckIncrement(ch.qos.logback.core.util.Duration.buildByMilliseconds(0));
                trigger.start();
                appender.setTriggeringPolicy(trigger);
            }
            var encoder = new PatternLayoutEncoder();
            encoder.setContext(context);
            encoder.setPattern("%msg%n");
            encoder.start();
            appender.setEncoder(encoder);
            appender.start();
            var logger = context.getLogger("app");
            logger.addAppender(appender);
            for (int i = 0; i < LINES; i++) {
                logger.info(Scene.line("logback", i));
            }
            context.stop();
            scene.written("logback", LINES);
            scene.assertAllArrivedOnce();
        }
    }

    @Test
    void javaUtilLoggingRenamesAllItsFilesWithoutLossOrDoubles() throws IOException {
        try (var scene = new Scene(folder, "objects")) {
            var handler = new FileHandler(scene.in.resolve("app-%g.log").toString(), 50_000, 100);
            handler.setFormatter(new Formatter() {
                @Override
                public String format(LogRecord record) {
                    return record.getMessage() + "\n";
                }
            });
            for (int i = 0; i < LINES; i++) {
                handler.publish(new LogRecord(Level.INFO, Scene.line("jul", i)));
            }
            handler.close();
            scene.written("jul", LINES);
            scene.assertAllArrivedOnce();
        }
    }
}
