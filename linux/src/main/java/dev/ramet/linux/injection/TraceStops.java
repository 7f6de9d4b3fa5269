// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.Errnos;
import dev.ramet.linux.call.TraceCalls;
import dev.ramet.linux.process.ProcessStat;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The stops of a traced thread, as waitpid(2) reports them, and its end. Used by the thread that
 * traces.
 */
final class TraceStops {
  private static final String ENDED = "ZX";
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int STOPPED = 0x7f;
  private static final int NOW = TraceCalls.WALL | TraceCalls.WNOHANG;

  private final long thread;
  private final long statusAddress;
  private final ByteBuffer status;

  /** Keeps the status in eight bytes of a memory that the caller closes. */
  TraceStops(long thread, NativeBuffer memory, int statusAt) {
    this.thread = thread;
    this.statusAddress = memory.address() + statusAt;
    this.status = memory.view(statusAt, Long.BYTES);
  }

  /**
   * Returns whether the thread has stopped.
   *
   * @throws LinuxException ESRCH if it is gone
   */
  boolean poll() throws LinuxException {
    int result = TraceCalls.waitpid((int) thread, statusAddress, NOW);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result == 0 || errno == Errnos.EINTR) {
      return false;
    }
    if (result < 0 || (status.getInt(0) & 0xff) != STOPPED) {
      throw new LinuxException("waitpid", LinuxException.ESRCH, "thread " + thread);
    }
    return true;
  }

  /** Returns the signal of the last stop. */
  int signal() {
    return status.getInt(0) >> 8 & 0xff;
  }

  /** Returns the event of the last stop, or 0. */
  int event() {
    return status.getInt(0) >> 16;
  }

  /** Returns whether the thread has ended, waited for or not. */
  boolean hasEnded() throws LinuxException {
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
   * Waits for a thread that is gone or going: a dead tracee must be waited for, or its process
   * could not end before this thread does. One that is killed ends a moment after its first
   * refusal; until then it could not be told from one that nobody may trace.
   */
  void awaitEnd() {
    long deadline = System.nanoTime() + END_NANOS;
    try {
      while (!hasEnded() && System.nanoTime() < deadline) {
        LockSupport.parkNanos(20_000);
      }
    } catch (LinuxException e) {
      // If its state cannot be read, there is nothing to wait for.
    }
    TraceCalls.waitpid((int) thread, statusAddress, NOW);
  }
}
