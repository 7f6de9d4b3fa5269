// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * Names of the capabilities that memory modes state in {@link
 * dev.ramet.spi.ProbeResult.Usable#capabilities}. A stated capability holds for every process that
 * the mode attaches to; one that is not stated holds for none.
 */
public final class MemoryCapabilities {
  /**
   * Any memory is accepted, including shared mappings and machines that were booted. Without it,
   * memory without a single private mapping of an image is refused with {@code UNSUPPORTED}.
   */
  public static final String ANY_MEMORY = "any-memory";

  /**
   * Selections are relative to the restore image, {@link Baseline#RESTORE_IMAGE}: pages not touched
   * since the restore are not copied. Without it there is no such baseline.
   */
  public static final String SINCE_RESTORE = "since-restore";

  /**
   * After a commit, selections are relative to that capture, {@link Baseline#PREVIOUS_CAPTURE}:
   * pages not written since are not copied.
   */
  public static final String SINCE_CAPTURE = "since-capture";

  /**
   * Trackers of private mappings whose hypervisor discards nothing ({@link GuestMemory#discards})
   * are {@link LiveTracker}s. Without it, no tracker is.
   */
  public static final String LIVE = "live";

  private MemoryCapabilities() {}
}
