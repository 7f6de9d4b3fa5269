// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.TraceCalls;
import java.util.ArrayList;
import java.util.List;

/** Reads the seccomp filters of a thread that is traced and stopped (ptrace(2)). */
final class ThreadFilters {
  private static final int FILTER_BYTES = 4096 * SeccompProgram.INSTRUCTION_BYTES;

  private ThreadFilters() {}

  /**
   * Returns the filters that every system call of the thread passes, newest first.
   *
   * @throws LinuxException EACCES without CAP_SYS_ADMIN, EINVAL or EIO when the kernel cannot tell
   */
  static List<SeccompProgram> read(Ptrace ptrace) throws LinuxException {
    List<SeccompProgram> filters = new ArrayList<>();
    try (NativeBuffer scratch = NativeBuffer.allocate(FILTER_BYTES)) {
      while (true) {
        int request = TraceCalls.PTRACE_SECCOMP_GET_FILTER;
        long length = ptrace.request(request, filters.size(), 0);
        if (length * SeccompProgram.INSTRUCTION_BYTES > FILTER_BYTES) {
          throw new LinuxException("ptrace", LinuxException.EINVAL, "filter of " + length);
        }
        ptrace.request(request, filters.size(), scratch.address());
        filters.add(new SeccompProgram(scratch.view(0, FILTER_BYTES), (int) length));
      }
    } catch (LinuxException e) {
      if (e.errno() == LinuxException.ENOENT) {
        return filters;
      }
      throw e;
    }
  }
}
