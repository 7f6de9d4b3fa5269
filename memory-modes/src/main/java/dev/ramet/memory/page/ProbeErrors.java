// SPDX-License-Identifier: Apache-2.0
package dev.ramet.memory.page;

import dev.ramet.linux.LinuxException;
import dev.ramet.spi.ProbeResult;

/** Helpers shared by the probes of the modes. */
public final class ProbeErrors {
  private static final int ENOSYS = 38;

  private ProbeErrors() {}

  /**
   * Returns the result for a call of a probe that the kernel refused: unusable if the operator's
   * settings are known to cause it.
   */
  public static ProbeResult refused(LinuxException e) {
    return switch (e.errno()) {
      case LinuxException.EPERM, LinuxException.EACCES, LinuxException.ENOENT, ENOSYS ->
          new ProbeResult.Unusable(
              "memory of processes cannot be read",
              e.call() + " answered errno " + e.errno(),
              "allow process_vm_readv and /proc/<pid>/pagemap: mount /proc, do not filter the"
                  + " call (a container's seccomp profile may), and give Ramet CAP_SYS_PTRACE if"
                  + " hypervisors run as another user");
      default -> new ProbeResult.Failed(e);
    };
  }
}
