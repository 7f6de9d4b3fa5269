// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import com.sun.jna.Native;
import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.TraceCalls;

/**
 * Requests to a thread that the calling thread traces (ptrace(2)). Not thread-safe.
 *
 * @param thread the traced thread
 */
record Ptrace(long thread) {
  /** struct iovec: a pointer and a size. */
  private static final int IOVEC_BYTES = 2 * Long.BYTES;

  /**
   * One request.
   *
   * @throws LinuxException ESRCH when the thread has ended or does not stand still
   */
  long request(int request, long address, long data) throws LinuxException {
    long result = TraceCalls.ptrace(request, thread, address, data);
    int errno = result < 0 ? Native.getLastError() : 0;
    if (result < 0) {
      throw new LinuxException("ptrace " + request, errno, "thread " + thread);
    }
    return result;
  }

  /**
   * Reads a set of registers by its number in linux/elf.h.
   *
   * @return the number of bytes, at most {@code sizeBytes}; 0 if this processor, kernel or thread
   *     does not have the set
   */
  int registers(int set, long address, int sizeBytes) throws LinuxException {
    try (NativeBuffer vector = NativeBuffer.allocate(IOVEC_BYTES)) {
      vector.view(0, IOVEC_BYTES).putLong(address).putLong(sizeBytes);
      request(TraceCalls.PTRACE_GETREGSET, set, vector.address());
      return (int) vector.view(Long.BYTES, Long.BYTES).getLong();
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ESRCH) {
        throw e;
      }
      return 0;
    }
  }
}
