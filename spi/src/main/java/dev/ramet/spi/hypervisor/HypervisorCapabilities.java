// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

/**
 * Names that hypervisors state in {@link dev.ramet.spi.ProbeResult.Usable#capabilities} and that
 * the contract knows. What is stated is so for every machine, and what is not stated is not done. A
 * driver may state others, for people to read.
 */
public final class HypervisorCapabilities {
  /** Running machines are {@link DiskWrites}. Without it, none is. */
  public static final String DISK_WRITES = "disk-writes";

  /** Running machines are {@link DiskWriteLog}. Without it, none is. */
  public static final String DISK_WRITE_LOG = "disk-write-log";

  /**
   * A machine's guest gets {@link VmSpec#secret}. Without it, specifications have none, and whoever
   * reaches a guest's agent can pretend to be the host.
   */
  public static final String GUEST_SECRET = "guest-secret";

  private HypervisorCapabilities() {}
}
