package tailrace.testkit;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import tailrace.linux.CopyCalls;
import tailrace.linux.Errno;
import tailrace.linux.FileCalls;
import tailrace.linux.Kernel;
import tailrace.linux.LinuxException;
import tailrace.linux.LinuxKernel;
import tailrace.linux.NameCalls;
import tailrace.linux.WatchCalls;

/** The running kernel, which fails certain calls when told to. Safe for use by many threads. */
public final class FaultyKernel implements Kernel {
    /** A call about to be made. */
    public record Call(String name, List<Object> arguments) {
        /** Whether one of the arguments, as text, ends so. */
        public boolean on(String suffix) {
            return arguments.stream().anyMatch(argument -> argument.toString().endsWith(suffix));
        }
    }

    private record Fault(Predicate<Call> calls, Errno errno) {}

    private record Replacement(Predicate<Call> calls, UnaryOperator<Object> answer) {}

    private final List<Replacement> replacements = new CopyOnWriteArrayList<>();
    private final Kernel real = new LinuxKernel();
    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    private final FileCalls files = faulty(FileCalls.class, real.files());
    private final NameCalls names = faulty(NameCalls.class, real.names());
    private final CopyCalls copies = faulty(CopyCalls.class, real.copies());
    private final WatchCalls watches = faulty(WatchCalls.class, real.watches());

    /** From now on these calls fail so. */
    public void fail(Errno errno, Predicate<Call> calls) {
        faults.add(new Fault(calls, errno));
    }

    /** From now on these calls are made, and what they answer is replaced by this. */
    public void replaceAnswer(Predicate<Call> calls, UnaryOperator<Object> answer) {
        replacements.add(new Replacement(calls, answer));
    }

    /** From now on no call fails but by itself. */
    public void heal() {
        faults.clear();
        replacements.clear();
    }

    private <T> T faulty(Class<T> role, T calls) {
        Object proxy =
                Proxy.newProxyInstance(role.getClassLoader(), new Class<?>[] {role}, (self, method, arguments) -> {
                    List<Object> given = arguments == null ? List.of() : Arrays.asList(arguments);
                    var call = new Call(method.getName(), given);
                    for (Fault fault : faults) {
                        if (fault.calls.test(call)) {
                            throw new LinuxException(method.getName(), fault.errno, given.toString());
                        }
                    }
                    if (method.isDefault()) { // made of other calls, of which each may fail
                        return InvocationHandler.invokeDefault(self, method, arguments);
                    }
                    try {
                        Object answer = method.invoke(calls, arguments);
                        for (Replacement replacement : replacements) {
                            if (replacement.calls.test(call)) {
                                answer = replacement.answer.apply(answer);
                            }
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return role.cast(proxy);
    }

    @Override
    public FileCalls files() {
        return files;
    }

    @Override
    public NameCalls names() {
        return names;
    }

    @Override
    public long processId() {
        return real.processId();
    }

    @Override
    public CopyCalls copies() {
        return copies;
    }

    @Override
    public WatchCalls watches() {
        return watches;
    }
}
