// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.process;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.ProcessCalls;
import java.nio.ByteBuffer;

/** Writes another process's memory (process_vm_writev(2)). */
public final class ProcessWrite {
  /** Two of struct iovec: a pointer and a size each. */
  private static final int VECTORS_BYTES = 4 * Long.BYTES;

  private ProcessWrite() {}

  /**
   * Writes all of a buffer's bytes.
   *
   * @return false when not all of it can be written there; some of it may have been
   * @throws LinuxException ESRCH when the process has ended, EPERM when this process may not trace
   *     that one
   */
  public static boolean write(long pid, long address, ByteBuffer bytes) throws LinuxException {
    int length = bytes.remaining();
    try (NativeBuffer copy = NativeBuffer.allocate(VECTORS_BYTES + (long) length)) {
      copy.view(VECTORS_BYTES, length).put(bytes.duplicate());
      long from = copy.address();
      copy.view(0, VECTORS_BYTES)
          .putLong(from + VECTORS_BYTES)
          .putLong(length)
          .putLong(address)
          .putLong(length);
      while (true) {
        long n = ProcessCalls.process_vm_writev((int) pid, from, 1, from + VECTORS_BYTES / 2, 1, 0);
        int errno = n < 0 ? Native.getLastError() : 0;
        if (n >= 0 || errno == LinuxException.EFAULT) {
          return n == length;
        }
        if (errno != ProcessCalls.EINTR) {
          throw new LinuxException("process_vm_writev", errno, "process " + pid);
        }
      }
    }
  }
}
