// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

/** A {@link RunningVm} whose hypervisor counts the guest's disk writes. Thread-safe. */
public interface DiskWrites {
  /**
   * Returns how many requests that may have changed a disk have ended since the hypervisor's
   * process started, whether they succeeded or not. While the number stays the same and no request
   * is in flight, no disk has changed.
   *
   * @throws dev.ramet.errors.RametException {@code HYPERVISOR_FAILED}, {@code DEADLINE_EXCEEDED}
   */
  long diskWrites();
}
