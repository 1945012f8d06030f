package tailrace.core;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.foreign.Arena;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The layout is the architecture: a stage may know the values of earlier stages, never of later ones. */
class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("tailrace");

    @Test
    void stagesKnowOnlyEarlierStages() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("watch")
                .definedBy("tailrace.core.watch..")
                .layer("track")
                .definedBy("tailrace.core.track..")
                .layer("batch")
                .definedBy("tailrace.core.batch..")
                .layer("ledger")
                .definedBy("tailrace.core.ledger..")
                .layer("deliver")
                .definedBy("tailrace.core.deliver..")
                .layer("sinks")
                .definedBy("tailrace.core.sink..")
                .layer("engine")
                .definedBy("tailrace.core.engine..")
                .whereLayer("engine")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("sinks")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("deliver")
                .mayOnlyBeAccessedByLayers("sinks", "engine")
                .whereLayer("ledger")
                .mayOnlyBeAccessedByLayers("deliver", "engine")
                .whereLayer("batch")
                .mayOnlyBeAccessedByLayers("ledger", "deliver", "sinks", "engine")
                .whereLayer("track")
                .mayOnlyBeAccessedByLayers("batch", "ledger", "deliver", "sinks", "engine")
                .check(CLASSES);
    }

    @Test
    void timeComesFromTheClock() {
        noClasses()
                .that()
                .resideInAPackage("tailrace.core..")
                .and()
                .haveNameNotMatching("tailrace\\.core\\.Clock.*")
                .and()
                .resideOutsideOfPackage("tailrace.core.sink.tcp..") // real sockets, so real time
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLASSES);
    }

    /** What differs from process to process would make another life of the same seed. */
    @Test
    void theProcessIsKnownByTheKernelAlone() {
        noClasses()
                .that()
                .resideInAPackage("tailrace.core..")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(ProcessHandle.class)
                .check(CLASSES);
    }

    @Test
    void threadsComeFromTheWorkers() {
        noClasses()
                .that()
                .resideInAPackage("tailrace.core..")
                .and()
                .doNotHaveSimpleName("PlatformWorkers")
                .should()
                .dependOnClassesThat()
                .areAssignableTo(Thread.class)
                .check(CLASSES);
    }

    @Test
    void noMemoryIsSharedBetweenThreads() {
        noClasses().should().callMethod(Arena.class, "ofShared").check(CLASSES);
    }

    @Test
    void onlyTheLinuxModuleCallsNativeFunctions() {
        noClasses()
                .that()
                .resideOutsideOfPackage("tailrace.linux..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.foreign.Linker")
                .check(CLASSES);
    }
}
