// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.hypervisor;

/**
 * Names of the capabilities in {@link dev.ramet.spi.ProbeResult.Usable#capabilities} that the
 * hypervisor contract defines. A stated capability holds for every machine; one that is not stated
 * holds for none. A driver may state other names, for people to read.
 */
public final class HypervisorCapabilities {
  /** Every running machine implements {@link DiskWrites}. Without it, no machine does. */
  public static final String DISK_WRITES = "disk-writes";

  /** Every running machine implements {@link DiskWriteLog}. Without it, no machine does. */
  public static final String DISK_WRITE_LOG = "disk-write-log";

  /**
   * The guest of a machine receives {@link VmSpec#secret}. Without it, specifications carry no
   * secret, and anyone who can reach a guest's agent can pretend to be the host.
   */
  public static final String GUEST_SECRET = "guest-secret";

  private HypervisorCapabilities() {}
}
