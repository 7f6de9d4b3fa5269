// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

import java.util.Locale;

/**
 * An optional ability of a hypervisor. A stated one holds for every machine; one that is not stated
 * holds for none. Later versions may add features.
 */
public enum HypervisorFeature {
  /** Every running machine implements {@link DiskWrites}. Without it, no machine does. */
  DISK_WRITES,
  /** Every running machine implements {@link DiskWriteLog}. Without it, no machine does. */
  DISK_WRITE_LOG,
  /**
   * The guest of a machine receives {@link VmSpec#secret}. Without it, specifications carry no
   * secret, and anyone who can reach a guest's agent can pretend to be the host.
   */
  GUEST_SECRET,
  /**
   * Machines are also restored from a {@link dev.ramet.spi.memory.MemorySource.FaultHandler}.
   * Without it, {@link Hypervisor#restore} refuses one with {@code UNSUPPORTED}.
   */
  FAULT_HANDLER,
  /**
   * Every running machine implements {@link StopsOnDiskError}. Without it, no machine does: a disk
   * error of the host reaches the guest, so the host pauses machines before their disks are full.
   */
  STOPS_ON_DISK_ERROR;

  /** Returns the name that people read, for example {@code guest-secret}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
