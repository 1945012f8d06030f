package tailrace.testkit.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeModel;
import java.lang.classfile.MethodModel;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Does the torture find bugs? Each safeguard is switched off in the compiled product, one at a time, and must be missed
 * by one of the first lives. A safeguard that no life misses is either untested or not needed.
 */
@Execution(ExecutionMode.SAME_THREAD)
class MutationTest {
    /** Each mutation must be caught within so many seeds, none of which fails without it. */
    private static final long SEEDS = 10_000;

    /** Loads the product and the simulation anew, with one method of one class replaced. */
    private static final class MutatingLoader extends ClassLoader {
        private final String className;
        private final String method;
        private final Consumer<CodeBuilder> body;
        private boolean mutated;

        MutatingLoader(String className, String method, Consumer<CodeBuilder> body) {
            super(MutationTest.class.getClassLoader());
            this.className = className;
            this.method = method;
            this.body = body;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean own = name.startsWith("tailrace.core.") || name.startsWith("tailrace.testkit.");
            if (!own) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] bytes = in.readAllBytes();
                if (name.equals(className)) {
                    bytes = mutate(bytes);
                }
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        private byte[] mutate(byte[] bytes) {
            ClassFile classFile = ClassFile.of();
            return classFile.transformClass(
                    classFile.parse(bytes), ClassTransform.transformingMethods(this::isMeant, (builder, element) -> {
                        if (element instanceof CodeModel) {
                            mutated = true;
                            builder.withCode(body);
                        } else {
                            builder.with(element);
                        }
                    }));
        }

        private boolean isMeant(MethodModel candidate) {
            return candidate.methodName().equalsString(method);
        }
    }

    private static Consumer<CodeBuilder> body(String result) {
        return switch (result) {
            case "nothing" -> CodeBuilder::return_;
            case "true" -> code -> code.iconst_1().ireturn();
            case "false" -> code -> code.iconst_0().ireturn();
            case "0" -> code -> code.lconst_0().lreturn();
            case "its argument" -> code -> code.lload(3).lreturn();
            default -> throw new IllegalArgumentException(result);
        };
    }

    @ParameterizedTest(name = "without {0}")
    @CsvSource({
        "the guard,                              track.Lineage,            guardHolds,      true",
        "a second look before the seal,          track.Tracker,            stillContinues,  true",
        "a look at the source after the copy,    deliver.SliceAccess,      isWhole,         true",
        "sealed and durable before it is sent,   ledger.Ledger,            isDurable,       true",
        "fdatasync of what counts as delivered,  sink.file.SinkFolder,     syncData,        nothing",
        "fsync of the folder,                    sink.file.SinkFolder,     syncFolder,      nothing",
        "the cut after a crash of an append,     sink.file.AppendFileSink, makeRoom,        its argument",
        "the manifest line of a cut,             sink.file.ManifestFile,   addCut,          nothing",
        "the rescan after an overflow,           track.Locator,            rescanned,       nothing",
        "the end of half renames,                watch.Watcher,            giveUpHalf,      nothing",
        "the pairing of renames,                 track.Locator,            moved,           nothing",
        "the notice of vanished names,           track.Locator,            vanished,        nothing",
        "the slow scan,                          track.SlowScan,           mayHaveChanged,  false",
        "the recognition of copies,              track.Lineage,            isCopy,          false",
        "holding what may be a copy,             track.Epochs,             isHeldAsCopy,    false",
        "the files known before their bytes go,  engine.Pinning,           knownFrom,       0",
        "the pin,                                track.Pins,               pin,             nothing",
        "keeping the pin until all is delivered, track.Pins,               mayGo,           true",
        "undoing the seals of a resumable sink,  engine.Recovery,          undo,            nothing",
        "the retry,                              deliver.RouteCourier,     retryLater,      nothing",
        "giving back what never ran,             deliver.CourierTask,      abandon,         nothing",
    })
    void theTortureNotices(String safeguard, String className, String method, String result) throws Exception {
        var loader = new MutatingLoader("tailrace.core." + className, method, body(result));
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader); // the sinks are found through it
        try {
            long caughtAt = firstViolation(loader);
            System.out.printf(
                    "without %s: %s%n", safeguard, caughtAt < 0 ? "NOT MISSED" : "caught by seed " + caughtAt);
            assertThat(loader.mutated).as("the method is there").isTrue();
            assertThat(caughtAt).as("seed that misses " + safeguard).isPositive();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static long firstViolation(MutatingLoader loader) throws ReflectiveOperationException {
        Class<?> script = loader.loadClass("tailrace.testkit.torture.Script");
        Class<?> writer = loader.loadClass("tailrace.testkit.torture.ScriptWriter");
        Class<?> life = loader.loadClass("tailrace.testkit.torture.Life");
        var of = writer.getMethod("of", long.class);
        var play = life.getMethod("play", script, java.io.PrintStream.class);
        for (long seed = 1; seed <= SEEDS; seed++) {
            if (((Optional<?>) play.invoke(null, of.invoke(null, seed), null)).isPresent()) {
                return seed;
            }
        }
        return -1;
    }
}
