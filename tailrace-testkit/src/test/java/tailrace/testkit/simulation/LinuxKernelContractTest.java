package tailrace.testkit.simulation;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxKernel;
import tailrace.linux.LinuxPath;

class LinuxKernelContractTest extends KernelContract {
    @TempDir
    Path folder;

    @Override
    Kernel kernel() {
        return new LinuxKernel();
    }

    @Override
    LinuxPath folder() {
        return LinuxPath.of(folder.toString());
    }
}
