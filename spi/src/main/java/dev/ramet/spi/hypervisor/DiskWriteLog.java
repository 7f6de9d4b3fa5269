// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import dev.ramet.spi.storage.WriteLog;

/**
 * A {@link RunningVm} whose hypervisor records which parts of its disks the guest writes. Recording
 * starts with the first call and slows the guest's writes from then on. Thread-safe; works while
 * the machine runs and while it is paused.
 */
public interface DiskWriteLog {
  /**
   * Returns what the guest wrote to a disk since the last call, as defined by {@link
   * WriteLog#take}. Requests to write zeros and to discard count as writes, and so does a failed
   * write. For a paused machine the result is complete.
   *
   * @param disk index in {@link VmSpec#disks}
   * @throws dev.ramet.errors.RametException {@code INVALID_ARGUMENT} for a disk that does not
   *     exist, {@code HYPERVISOR_FAILED}, {@code DEADLINE_EXCEEDED}; the machine continues as
   *     before, and the next result begins at {@link WriteLog#NO_MARK}
   */
  WriteLog.Written takeWrites(int disk);
}
