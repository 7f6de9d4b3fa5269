// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.storage.WriteLog;

/**
 * What a {@link RunningVm} implements whose hypervisor notes which parts of its disks the guest
 * writes. Nothing is noted before the first call, which costs the guest something from then on.
 * Thread-safe; works while the machine runs and while it stands still.
 */
public interface DiskWriteLog {
  /**
   * What the guest wrote to a disk since the last call, as {@link WriteLog#take} says; requests to
   * write zeros and to discard are writes too, and so is one that failed. On a machine that stands
   * still, that is all that it has written.
   *
   * @param disk place in {@link VmSpec#disks}
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} for a disk that there is not,
   *     {@code HYPERVISOR_FAILED}, {@code DEADLINE_EXCEEDED}; the machine goes on as it was, and
   *     the next answer begins at {@link WriteLog#NO_MARK}
   */
  WriteLog.Written takeWrites(int disk);
}
