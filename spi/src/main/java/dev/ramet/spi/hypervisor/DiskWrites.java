// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

/**
 * What a {@link RunningVm} implements whose hypervisor counts what the guest does to its disks.
 * Thread-safe.
 */
public interface DiskWrites {
  /**
   * How many requests have ended since the hypervisor's process was started that may have changed a
   * disk, successful or not. While it stays the same and no request is under way, no disk has
   * changed.
   *
   * @throws dev.ramet.errors.RametException {@code HYPERVISOR_FAILED}, {@code DEADLINE_EXCEEDED}
   */
  long diskWrites();
}
