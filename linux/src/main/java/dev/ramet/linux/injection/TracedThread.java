// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import dev.ramet.linux.InjectionException;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.TraceCalls;
import dev.ramet.linux.process.ProcessWrite;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stopped thread of another process that makes system calls on this process's behalf. All signals
 * wait until it is released, and {@link #close} restores its registers and signal mask at a stop
 * from which the kernel restarts an interrupted call by itself. Other threads of the process
 * continue to run. Must be used by one platform thread (ptrace(2)); tracing ends with that thread.
 *
 * <p>This process can be killed at any moment, and then the kernel releases the thread as it is. So
 * before anything changes, the thread gets a {@link SignalFrame} of its original state, and from
 * then on it always stands where it reaches rt_sigreturn(2) by itself.
 */
final class TracedThread implements AutoCloseable {
  private static final int SIGTRAP = 5;
  private static final int SIGSTOP = 19;
  private static final int SYSCALL_STOP = SIGTRAP | 0x80;
  private static final int SIGNAL_SET_BYTES = 8;
  private static final int STATUS_AT = 2 * Registers.BYTES;
  private static final int MASK_AT = STATUS_AT + Long.BYTES;
  private static final int ALL_SIGNALS_AT = MASK_AT + Long.BYTES;
  private static final int SCRATCH_AT = ALL_SIGNALS_AT + Long.BYTES;

  private final long pid;
  private final long thread;
  private final Consumer<String> step;
  private final Ptrace ptrace;
  private final NativeBuffer memory = NativeBuffer.allocate(SCRATCH_AT + Long.BYTES);
  private final Registers found = new Registers(memory.view(0, Registers.BYTES).asLongBuffer());
  private final Registers now =
      new Registers(memory.view(Registers.BYTES, Registers.BYTES).asLongBuffer());
  private final TraceStops stops;
  private final ByteBuffer mask = memory.view(MASK_AT, Long.BYTES);
  private @Nullable SignalFrame frame;
  private boolean stopped;
  private boolean atSystemCall;

  private TracedThread(long pid, long thread, Consumer<String> step) throws LinuxException {
    this.pid = pid;
    this.thread = thread;
    this.step = step;
    this.ptrace = new Ptrace(thread);
    this.stops = new TraceStops(thread, memory, STATUS_AT);
    memory.view(ALL_SIGNALS_AT, Long.BYTES).putLong(-1);
  }

  /**
   * Begins to trace a thread and asks it to stop.
   *
   * @param step receives the name of each step before it happens, for tests
   * @throws LinuxException EPERM if this process may not trace that one, ESRCH if it is gone
   */
  static TracedThread interrupt(long pid, long thread, Consumer<String> step)
      throws LinuxException {
    TracedThread traced = new TracedThread(pid, thread, step);
    boolean done = false;
    try {
      traced.seize();
      traced.ptrace.request(TraceCalls.PTRACE_INTERRUPT, 0, 0);
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
      ptrace.request(TraceCalls.PTRACE_SEIZE, 0, TraceCalls.PTRACE_O_TRACESYSGOOD);
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.EPERM && stops.hasEnded()) {
        // The kernel forbids to trace the dead rather than saying that they are.
        throw new LinuxException(e.call(), LinuxException.ESRCH, "thread " + thread);
      }
      throw e;
    }
  }

  /**
   * Waits until it stops. May be called again: it stays traced until it stops or this thread ends,
   * and cannot be traced a second time.
   *
   * @return false if it did not stop in time
   */
  boolean awaitStop(long timeoutNanos) throws LinuxException {
    long deadline = System.nanoTime() + timeoutNanos;
    while (true) {
      while (!stops.poll()) {
        if (System.nanoTime() > deadline) {
          return false; // It sleeps uninterruptibly, or the host is that busy.
        }
        LockSupport.parkNanos(20_000);
      }
      stopped = true;
      if (stops.event() == TraceCalls.PTRACE_EVENT_STOP) {
        return true;
      }
      resume(TraceCalls.PTRACE_CONT, stops.signal()); // A signal came first: it is delivered first.
    }
  }

  /** Returns the requests that change nothing, while it is stopped. */
  Ptrace ptrace() {
    return ptrace;
  }

  /**
   * Prepares it for calls, once it is stopped.
   *
   * @return false if it stands where its registers must not be touched, or its stack has no room
   *     for its state, which signals would need too
   */
  boolean prepare(Gadgets gadgets) throws LinuxException, InjectionException {
    ptrace.request(TraceCalls.PTRACE_GETREGS, 0, memory.address());
    if (!found.is64Bit()) {
      throw new InjectionException(
          InjectionException.Reason.ARCHITECTURE, "process " + pid + " runs a 32-bit program");
    }
    if (!found.inSystemCall() && RestartableSequence.isInside(ptrace, pid)) {
      return false;
    }
    if (ptrace.registers(TraceCalls.NT_X86_SHSTK, memory.address() + SCRATCH_AT, Long.BYTES) > 0) {
      return false; // A shadow stack knows of no signal, and would end the thread at its return.
    }
    ptrace.request(TraceCalls.PTRACE_GETSIGMASK, SIGNAL_SET_BYTES, memory.address() + MASK_AT);
    SignalFrame returning =
        new SignalFrame(found, mask.getLong(0), ExtendedState.read(ptrace), gadgets.restore());
    if (!ProcessWrite.write(pid, returning.address(), returning.bytes())) {
      return false;
    }
    // Of a call that waits with other signals than the thread's own, ppoll(2), the kernel now
    // forgets the thread's own ones, which are what it finds already if it is let go here.
    block(MASK_AT);
    frame = returning;
    step.accept("return");
    now.copyFrom(found);
    now.jump(gadgets.restore(), returning.returnStack());
    ptrace.request(TraceCalls.PTRACE_SETREGS, 0, memory.address() + Registers.BYTES);
    step.accept("mask");
    block(ALL_SIGNALS_AT);
    return true;
  }

  private void block(int signalsAt) throws LinuxException {
    ptrace.request(TraceCalls.PTRACE_SETSIGMASK, SIGNAL_SET_BYTES, memory.address() + signalsAt);
  }

  /**
   * Makes the thread execute a system call, once it is {@link #prepare prepared}.
   *
   * @return the kernel's result: a negative number is an error number
   */
  long call(Gadgets gadgets, long number, long... arguments)
      throws LinuxException, InjectionException {
    now.copyFrom(found);
    now.jump(gadgets.call(), Objects.requireNonNull(frame).address());
    now.setCall(number, arguments);
    ptrace.request(TraceCalls.PTRACE_SETREGS, 0, memory.address() + Registers.BYTES);
    step.accept("call");
    runToSystemCallStop();
    step.accept("enter");
    runToSystemCallStop();
    step.accept("exit");
    ptrace.request(TraceCalls.PTRACE_GETREGS, 0, memory.address() + Registers.BYTES);
    if (now.get(Registers.RIP) != gadgets.called()) {
      throw new InjectionException(
          InjectionException.Reason.CALL_FAILED,
          "thread " + thread + " left the injected system call");
    }
    return now.get(Registers.RAX);
  }

  private void runToSystemCallStop() throws LinuxException, InjectionException {
    int pass = 0;
    while (true) {
      resume(TraceCalls.PTRACE_SYSCALL, pass);
      await();
      pass = 0;
      if (stops.signal() == SYSCALL_STOP) {
        atSystemCall = true;
        return;
      }
      atSystemCall = false;
      if (stops.event() == TraceCalls.PTRACE_EVENT_STOP) {
        continue; // The whole process is being stopped; it stops once this thread is released.
      }
      if (stops.signal() != SIGSTOP) {
        // Signals are blocked, so the instruction itself raised one: it is not delivered.
        throw new InjectionException(
            InjectionException.Reason.CALL_FAILED,
            "thread " + thread + " got signal " + stops.signal() + " instead of a system call");
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
      if (stopped && frame != null) {
        if (atSystemCall) {
          ptrace.request(TraceCalls.PTRACE_INTERRUPT, 0, 0);
          int pass = 0;
          do {
            resume(TraceCalls.PTRACE_CONT, pass);
            await();
            pass = stops.signal() == SIGSTOP ? SIGSTOP : 0;
          } while (stops.event() != TraceCalls.PTRACE_EVENT_STOP);
        }
        // In this order: without its frame the thread could not put back its signals.
        step.accept("unmask");
        block(MASK_AT);
        step.accept("registers");
        ptrace.request(TraceCalls.PTRACE_SETREGS, 0, memory.address());
      }
      if (stopped) {
        step.accept("detach");
        ptrace.request(TraceCalls.PTRACE_DETACH, 0, 0);
      }
    } catch (LinuxException e) {
      // Only a thread that is gone, or going, cannot be let go.
      stops.awaitEnd();
    } finally {
      stopped = false;
      frame = null;
      memory.close();
    }
  }

  private void resume(int how, int signal) throws LinuxException {
    ptrace.request(how, 0, signal);
    stopped = false;
  }

  /**
   * Waits without limit: between two stops lies one short system call, and to give up in between
   * would leave a thread with foreign registers.
   */
  private void await() throws LinuxException {
    int turns = 0;
    while (!stops.poll()) {
      if (++turns > 1_000) {
        LockSupport.parkNanos(20_000);
      }
    }
    stopped = true;
  }
}
