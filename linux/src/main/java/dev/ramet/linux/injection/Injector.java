// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import com.sun.jna.Native;
import dev.ramet.linux.InjectionException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.call.ProcessCalls;
import dev.ramet.linux.call.TraceCalls;
import dev.ramet.linux.process.ProcStatus;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens a userfaultfd for another process's memory. The process itself must make that call, so one
 * of its threads is borrowed for two calls: userfaultfd and close. In between, the descriptor is
 * duplicated into this process (pidfd_getfd(2)), so that nothing stays behind in the other process,
 * and every registration ends with the descriptor, also when this process dies.
 */
public final class Injector {
  private static final long STOP_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int ROUNDS = 5;
  private static final long SECCOMP_DISABLED = 0;

  private final long pid;
  private final long flags;
  private final long stopNanos;
  private final Consumer<String> step;
  private List<SeccompProgram> filters = List.of();

  /**
   * Creates an injector for a process.
   *
   * @param step receives the name of each step before it happens, for tests
   */
  public Injector(long pid, long flags, Consumer<String> step) {
    this(pid, flags, STOP_NANOS, step);
  }

  /**
   * Creates an injector with the given time to wait for a thread to stop, in each of its rounds.
   */
  Injector(long pid, long flags, long stopNanos, Consumer<String> step) {
    this.pid = pid;
    this.flags = flags;
    this.stopNanos = stopNanos;
    this.step = step;
  }

  /**
   * Opens the descriptor on a new thread, because ptrace(2) ties tracing to one thread, and the end
   * of that thread releases the process whatever happens.
   *
   * @param threads the threads to borrow, best first
   * @return the descriptor in this process
   */
  public int open(List<Long> threads) throws LinuxException, InjectionException {
    Outcome outcome = new Outcome();
    Thread tracer =
        new Thread(
            () -> {
              try {
                outcome.fd = tryThreads(threads);
              } catch (LinuxException | InjectionException | RuntimeException | Error e) {
                outcome.failure = e;
              }
            },
            "tracer of " + pid);
    tracer.start();
    boolean interrupted = false;
    while (tracer.isAlive()) {
      try {
        tracer.join();
      } catch (InterruptedException e) {
        interrupted = true; // It takes a millisecond, and cannot be left half done.
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return outcome.get();
  }

  private static final class Outcome {
    int fd = -1;
    @Nullable Throwable failure;

    int get() throws LinuxException, InjectionException {
      Throwable e = failure;
      if (e instanceof LinuxException known) {
        throw known;
      } else if (e instanceof InjectionException known) {
        throw known;
      } else if (e instanceof RuntimeException known) {
        throw known;
      } else if (e instanceof Error known) {
        throw known;
      }
      return fd;
    }
  }

  private int tryThreads(List<Long> threads) throws LinuxException, InjectionException {
    Gadgets gadgets = Gadgets.find(pid);
    if (gadgets == null) {
      throw new InjectionException(
          InjectionException.Reason.ARCHITECTURE,
          "process " + pid + " has no code to return from a system call, or from a signal");
    }
    LinuxException gone = null;
    Map<Long, TracedThread> late = new HashMap<>();
    try {
      for (int round = 0; round < ROUNDS; round++) {
        for (long thread : threads) {
          step.accept("seize");
          TracedThread stopped = null;
          try {
            stopped = stop(thread, late, gadgets);
          } catch (LinuxException e) {
            if (e.errno() != LinuxException.ESRCH) {
              throw e;
            }
            gone = e; // Threads come and go; another one will do.
          }
          if (stopped != null) {
            try (TracedThread traced = stopped) {
              return open(traced, gadgets);
            }
          }
        }
      }
    } finally {
      late.values().forEach(TracedThread::close);
    }
    if (gone != null) {
      throw gone;
    }
    throw new InjectionException(
        InjectionException.Reason.NO_THREAD,
        "process "
            + pid
            + " has no thread that can run a system call: "
            + threads.size()
            + " tried");
  }

  /**
   * Stops a thread and prepares it for calls.
   *
   * @param late threads that were asked to stop before and had not; they may have stopped by now
   * @return the thread, or null if it has not stopped in time or must not be touched where it is
   */
  private @Nullable TracedThread stop(long thread, Map<Long, TracedThread> late, Gadgets gadgets)
      throws LinuxException, InjectionException {
    TracedThread traced = late.remove(thread);
    if (traced == null) {
      traced = TracedThread.interrupt(pid, thread, step);
    }
    boolean keep = false;
    try {
      if (!traced.awaitStop(stopNanos)) {
        late.put(thread, traced);
        keep = true;
        return null;
      }
      step.accept("stopped");
      requireCallsAllowed(traced, thread, gadgets);
      keep = traced.prepare(gadgets);
      return keep ? traced : null;
    } finally {
      if (!keep) {
        traced.close();
      }
    }
  }

  /** Called before anything changes: the thread's filters must permit all calls it will make. */
  private void requireCallsAllowed(TracedThread traced, long thread, Gadgets gadgets)
      throws LinuxException, InjectionException {
    String status = "/proc/" + pid + "/task/" + thread + "/status";
    filters =
        ProcStatus.number(status, "Seccomp", SECCOMP_DISABLED) == SECCOMP_DISABLED
            ? List.of()
            : filters(traced);
    requireAllowed("rt_sigreturn", TraceCalls.NR_RT_SIGRETURN, gadgets.restored(), 0);
    // The number that close will get is not known yet; filters do not look at it.
    requireAllowed("close", TraceCalls.NR_CLOSE, gadgets.called(), 0);
    requireAllowed("userfaultfd", TraceCalls.NR_USERFAULTFD, gadgets.called(), flags);
  }

  private int open(TracedThread traced, Gadgets gadgets) throws LinuxException, InjectionException {
    step.accept("userfaultfd");
    long remote = traced.call(gadgets, TraceCalls.NR_USERFAULTFD, flags);
    if (remote < 0) {
      throw new InjectionException(
          InjectionException.Reason.CALL_FAILED,
          "userfaultfd in process " + pid + " answered errno " + -remote);
    }
    int own = -1;
    try {
      step.accept("take");
      own = duplicateFd(remote);
    } finally {
      step.accept("close");
      requireAllowed("close", TraceCalls.NR_CLOSE, gadgets.called(), remote);
      traced.call(gadgets, TraceCalls.NR_CLOSE, remote);
      step.accept("restore");
    }
    return own;
  }

  private List<SeccompProgram> filters(TracedThread traced)
      throws LinuxException, InjectionException {
    try {
      return ThreadFilters.read(traced.ptrace());
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ESRCH) {
        throw e;
      }
      throw new InjectionException(
          InjectionException.Reason.FILTER_UNREADABLE,
          "process "
              + pid
              + " filters its system calls, and the filter cannot be read: errno "
              + e.errno());
    }
  }

  private void requireAllowed(String name, long number, long behind, long argument)
      throws InjectionException {
    ByteBuffer call = SeccompProgram.call((int) number, behind, argument);
    for (SeccompProgram filter : filters) {
      int action = filter.evaluate(call);
      if (!SeccompProgram.permits(action)) {
        throw new InjectionException(
            InjectionException.Reason.FILTERED,
            "process %d filters its system calls: %s would be answered with %#x"
                .formatted(pid, name, action));
      }
    }
  }

  private int duplicateFd(long remote) throws LinuxException {
    long process = TraceCalls.syscall(TraceCalls.NR_PIDFD_OPEN, pid, 0, 0);
    int errno = process < 0 ? Native.getLastError() : 0;
    if (process < 0) {
      throw new LinuxException("pidfd_open", errno, "process " + pid);
    }
    try {
      long own = TraceCalls.syscall(TraceCalls.NR_PIDFD_GETFD, process, remote, 0);
      errno = own < 0 ? Native.getLastError() : 0;
      if (own < 0) {
        throw new LinuxException("pidfd_getfd", errno, "process " + pid);
      }
      return (int) own;
    } finally {
      ProcessCalls.close((int) process);
    }
  }
}
