// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux;

import com.sun.jna.Native;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread of another process that stands still and makes system calls on this one's behalf. All
 * signals wait until it is let go, and {@link #close} puts back its registers and signal mask at a
 * stop from which the kernel restarts an interrupted call by itself. Other threads of the process
 * run on. Must be used by one platform thread (ptrace(2)); when that thread ends, so does tracing.
 */
final class TracedThread implements AutoCloseable {
  private static final String ENDED = "ZX";
  private static final int SIGTRAP = 5;
  private static final int SIGSTOP = 19;
  private static final int SYSCALL_STOP = SIGTRAP | 0x80;
  private static final int SIGNAL_SET_BYTES = 8;
  private static final int FILTER_BYTES = 4096 * SeccompProgram.INSTRUCTION_BYTES;
  private static final int RSEQ_BYTES = 24;
  private static final int STATUS_AT = 2 * Registers.BYTES;
  private static final int MASK_AT = STATUS_AT + Long.BYTES;
  private static final int SCRATCH_AT = MASK_AT + Long.BYTES;

  private final long pid;
  private final long thread;
  private final NativeBuffer memory = NativeBuffer.allocate(SCRATCH_AT + FILTER_BYTES);
  private final Registers found = new Registers(memory.view(0, Registers.BYTES).asLongBuffer());
  private final Registers now =
      new Registers(memory.view(Registers.BYTES, Registers.BYTES).asLongBuffer());
  private final ByteBuffer status = memory.view(STATUS_AT, Long.BYTES);
  private final ByteBuffer mask = memory.view(MASK_AT, Long.BYTES);
  private boolean stopped;
  private boolean changed;
  private boolean atSystemCall;

  private TracedThread(long pid, long thread) throws LinuxException {
    this.pid = pid;
    this.thread = thread;
  }

  /**
   * Begins to trace a thread, and tells it to stop.
   *
   * @throws LinuxException EPERM when this process may not trace that one, ESRCH when it is gone
   */
  static TracedThread interrupt(long pid, long thread) throws LinuxException {
    TracedThread traced = new TracedThread(pid, thread);
    boolean done = false;
    try {
      traced.seize();
      traced.ptrace(TraceCalls.PTRACE_INTERRUPT, 0, 0);
      done = true;
      return traced;
    } finally {
      if (!done) {
        traced.close();
      }
    }
  }

  private void seize() throws LinuxException {
    try {
      ptrace(TraceCalls.PTRACE_SEIZE, 0, TraceCalls.PTRACE_O_TRACESYSGOOD);
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EPERM && hasEnded()) {
        // The kernel forbids to trace the dead rather than saying that they are.
        throw new LinuxException(e.call(), LinuxException.ESRCH, "thread " + thread);
      }
      throw e;
    }
  }

  private boolean hasEnded() throws LinuxException {
    try {
      return ENDED.indexOf(ProcessStat.read(thread).state()) >= 0;
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT || e.errno() == LinuxException.ESRCH) {
        return true;
      }
      throw e;
    }
  }

  /**
   * Waits until it stands still. May be called again: until it stops or this thread ends it is
   * traced, and cannot be traced anew.
   *
   * @return false when it did not stop in time
   */
  boolean awaitStop(long timeoutNanos) throws LinuxException {
    long deadline = System.nanoTime() + timeoutNanos;
    while (true) {
      while (!poll()) {
        if (System.nanoTime() > deadline) {
          return false; // It sleeps uninterruptibly, or the host is that busy.
        }
        LockSupport.parkNanos(20_000);
      }
      stopped = true;
      if (event() == TraceCalls.PTRACE_EVENT_STOP) {
        return true;
      }
      resume(TraceCalls.PTRACE_CONT, signal()); // A signal came first: it is delivered first.
    }
  }

  /**
   * Makes it ready for calls, once it stands still.
   *
   * @return false when it stands where its registers must not be touched
   */
  boolean prepare() throws LinuxException, InjectionException {
    ptrace(TraceCalls.PTRACE_GETREGS, 0, memory.address());
    if (!found.is64Bit()) {
      throw new InjectionException(
          InjectionException.Reason.ARCHITECTURE, "process " + pid + " runs a 32-bit program");
    }
    if (!found.inSystemCall() && inRestartableSequence()) {
      return false;
    }
    ptrace(TraceCalls.PTRACE_GETSIGMASK, SIGNAL_SET_BYTES, memory.address() + MASK_AT);
    long before = mask.getLong(0);
    mask.putLong(0, -1);
    try {
      ptrace(TraceCalls.PTRACE_SETSIGMASK, SIGNAL_SET_BYTES, memory.address() + MASK_AT);
    } finally {
      mask.putLong(0, before);
    }
    changed = true;
    return true;
  }

  /**
   * The kernel forgets a restartable sequence (linux/rseq.h) when the thread comes back elsewhere,
   * so a thread must not be sent elsewhere while it is in one.
   */
  private boolean inRestartableSequence() throws LinuxException {
    long scratch = memory.address() + SCRATCH_AT;
    ByteBuffer view = memory.view(SCRATCH_AT, RSEQ_BYTES);
    try {
      ptrace(TraceCalls.PTRACE_GET_RSEQ_CONFIGURATION, RSEQ_BYTES, scratch);
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ESRCH) {
        throw e;
      }
      return false; // A kernel without restartable sequences.
    }
    long area = view.getLong(0);
    if (area == 0) {
      return false;
    }
    try (ProcessMemory remote = new ProcessMemory(pid);
        NativeBuffer copy = NativeBuffer.allocate(Long.BYTES)) {
      remote.add(area + Long.BYTES, Long.BYTES); // struct rseq: two 32-bit numbers, then rseq_cs.
      remote.read(copy, 0);
      return copy.view(0, Long.BYTES).getLong(0) != 0;
    }
  }

  /**
   * The filters that every system call of this thread passes, newest first.
   *
   * @throws LinuxException EACCES without CAP_SYS_ADMIN, EINVAL or EIO when the kernel cannot tell
   */
  List<SeccompProgram> filters() throws LinuxException {
    List<SeccompProgram> filters = new ArrayList<>();
    while (true) {
      long scratch = memory.address() + SCRATCH_AT;
      try {
        long length = ptrace(TraceCalls.PTRACE_SECCOMP_GET_FILTER, filters.size(), 0);
        if (length * SeccompProgram.INSTRUCTION_BYTES > FILTER_BYTES) {
          throw new LinuxException("ptrace", LinuxException.EINVAL, "filter of " + length);
        }
        ptrace(TraceCalls.PTRACE_SECCOMP_GET_FILTER, filters.size(), scratch);
        filters.add(new SeccompProgram(memory.view(SCRATCH_AT, FILTER_BYTES), (int) length));
      } catch (LinuxException e) {
        if (e.errno() == LinuxException.ENOENT) {
          return filters;
        }
        throw e;
      }
    }
  }

  /**
   * Makes the thread execute a system call.
   *
   * @param instruction the address of an instruction {@code syscall} in its process
   * @return what the kernel answered: a negative number is an error number
   */
  long call(long instruction, long number, long... arguments)
      throws LinuxException, InjectionException {
    now.copyFrom(found);
    now.prepareCall(instruction, number, arguments);
    ptrace(TraceCalls.PTRACE_SETREGS, 0, memory.address() + Registers.BYTES);
    runToSystemCallStop(); // It is about to enter.
    runToSystemCallStop(); // It is about to return.
    ptrace(TraceCalls.PTRACE_GETREGS, 0, memory.address() + Registers.BYTES);
    if (now.instruction() != instruction + Registers.SYSCALL_BYTES) {
      throw new InjectionException(
          InjectionException.Reason.CALL_FAILED, "thread " + thread + " went astray");
    }
    return now.result();
  }

  private void runToSystemCallStop() throws LinuxException, InjectionException {
    int pass = 0;
    while (true) {
      resume(TraceCalls.PTRACE_SYSCALL, pass);
      await();
      pass = 0;
      if (signal() == SYSCALL_STOP) {
        atSystemCall = true;
        return;
      }
      atSystemCall = false;
      if (event() == TraceCalls.PTRACE_EVENT_STOP) {
        continue; // The process is being stopped as a whole; it stops once this one is let go.
      }
      if (signal() != SIGSTOP) {
        // Signals are blocked, so the instruction itself raised one: it is not delivered.
        throw new InjectionException(
            InjectionException.Reason.CALL_FAILED,
            "thread " + thread + " got signal " + signal() + " instead of a system call");
      }
      pass = SIGSTOP;
    }
  }

  /**
   * Puts everything back and lets go; of one that has not stopped, the end of the tracing thread
   * does. From a system call's stop the kernel would go straight back to the program, without a
   * thought for the call that was interrupted in the first place; so the thread is led to the kind
   * of stop where it was found.
   */
  @Override
  public void close() {
    try {
      if (stopped && changed) {
        if (atSystemCall) {
          ptrace(TraceCalls.PTRACE_INTERRUPT, 0, 0);
          int pass = 0;
          do {
            resume(TraceCalls.PTRACE_CONT, pass);
            await();
            pass = signal() == SIGSTOP ? SIGSTOP : 0;
          } while (event() != TraceCalls.PTRACE_EVENT_STOP);
        }
        ptrace(TraceCalls.PTRACE_SETREGS, 0, memory.address());
        ptrace(TraceCalls.PTRACE_SETSIGMASK, SIGNAL_SET_BYTES, memory.address() + MASK_AT);
      }
      if (stopped) {
        ptrace(TraceCalls.PTRACE_DETACH, 0, 0);
      }
    } catch (LinuxException e) {
      // Only a thread that is gone cannot be let go. A dead tracee must be waited for, or its
      // process could not end before this thread does.
      TraceCalls.waitpid(
          (int) thread, memory.address() + STATUS_AT, TraceCalls.WALL | TraceCalls.WNOHANG);
    } finally {
      stopped = false;
      changed = false;
      memory.close();
    }
  }

  private void resume(int how, int signal) throws LinuxException {
    ptrace(how, 0, signal);
    stopped = false;
  }

  /**
   * Waits without limit: between two stops lies one short system call, and to give up in between
   * would leave a thread with foreign registers.
   */
  private void await() throws LinuxException {
    int turns = 0;
    while (!poll()) {
      if (++turns > 1_000) {
        LockSupport.parkNanos(20_000);
      }
    }
    stopped = true;
  }

  /** Whether the thread has stopped. */
  private boolean poll() throws LinuxException {
    int options = TraceCalls.WALL | TraceCalls.WNOHANG;
    int result = TraceCalls.waitpid((int) thread, memory.address() + STATUS_AT, options);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result == 0 || errno == Errnos.EINTR) {
      return false;
    }
    if (result < 0 || (status.getInt(0) & 0xff) != 0x7f) {
      throw new LinuxException("waitpid", LinuxException.ESRCH, "thread " + thread);
    }
    return true;
  }

  private int signal() {
    return status.getInt(0) >> 8 & 0xff;
  }

  private int event() {
    return status.getInt(0) >> 16;
  }

  private long ptrace(int request, long address, long data) throws LinuxException {
    long result = TraceCalls.ptrace(request, thread, address, data);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw new LinuxException("ptrace " + request, errno, "thread " + thread);
    }
    return result;
  }
}
