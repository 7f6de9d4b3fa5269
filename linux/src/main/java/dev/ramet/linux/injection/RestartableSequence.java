// SPDX-License-Identifier: Apache-2.0
package dev.ramet.linux.injection;

import dev.ramet.linux.LinuxException;
import dev.ramet.linux.NativeBuffer;
import dev.ramet.linux.call.TraceCalls;
import dev.ramet.linux.process.ProcessMemory;

/**
 * Whether a thread is in a restartable sequence (linux/rseq.h). The kernel forgets one when the
 * thread comes back elsewhere, so a thread must not be sent elsewhere while it is in one.
 */
final class RestartableSequence {
  /** struct ptrace_rseq_configuration: the area's address first. */
  private static final int CONFIGURATION_BYTES = 24;

  private RestartableSequence() {}

  /** Asks of a traced thread of process {@code pid} that is stopped outside of the kernel. */
  static boolean isInside(Ptrace ptrace, long pid) throws LinuxException {
    try (NativeBuffer scratch = NativeBuffer.allocate(CONFIGURATION_BYTES)) {
      try {
        ptrace.request(
            TraceCalls.PTRACE_GET_RSEQ_CONFIGURATION, CONFIGURATION_BYTES, scratch.address());
      } catch (LinuxException e) {
        if (e.errno() == LinuxException.ESRCH) {
          throw e;
        }
        return false; // A kernel without restartable sequences.
      }
      long area = scratch.view(0, Long.BYTES).getLong(0);
      if (area == 0) {
        return false;
      }
      try (ProcessMemory remote = new ProcessMemory(pid)) {
        remote.add(area + Long.BYTES, Long.BYTES); // struct rseq: two 32-bit numbers, then rseq_cs.
        remote.read(scratch, 0);
        return scratch.view(0, Long.BYTES).getLong(0) != 0;
      }
    }
  }
}
