// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/**
 * Names that memory modes state in {@link dev.ramet.spi.ProbeResult.Usable#capabilities}. What is
 * stated is kept for every process that the mode attaches to, and what is not stated is not done.
 */
public final class MemoryCapabilities {
  /**
   * Takes any memory, also shared mappings and machines that were booted. Without it, memory of
   * which no part is a private mapping of an image is refused with {@code UNSUPPORTED}.
   */
  public static final String ANY_MEMORY = "any-memory";

  /**
   * Selections are relative to the restore image, {@link Baseline#RESTORE_IMAGE}: what was not
   * touched since the restore is not copied. Without it they are relative to nothing.
   */
  public static final String SINCE_RESTORE = "since-restore";

  /**
   * After a commit, selections are relative to that capture, {@link Baseline#PREVIOUS_CAPTURE}:
   * what was not written since is not copied.
   */
  public static final String SINCE_CAPTURE = "since-capture";

  /**
   * Trackers of private mappings whose hypervisor discards nothing ({@link GuestMemory#discards})
   * are {@link LiveTracker}s. Without it, no tracker is one.
   */
  public static final String LIVE = "live";

  private MemoryCapabilities() {}
}
