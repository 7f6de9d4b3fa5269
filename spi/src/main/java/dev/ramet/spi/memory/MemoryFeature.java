// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

import java.util.Locale;

/**
 * An ability of a memory mode. A stated one holds for every process that the mode attaches to; one
 * that is not stated holds for none. Later versions may add features.
 */
public enum MemoryFeature {
  /**
   * Any memory is accepted, including shared mappings and machines that were booted. Without it,
   * memory without a single private mapping of an image is refused with {@code UNSUPPORTED}.
   */
  ANY_MEMORY,
  /**
   * Selections are relative to the restore image, {@link Baseline#RESTORE_IMAGE}: pages not touched
   * since the restore are not copied. Without it there is no such baseline.
   */
  SINCE_RESTORE,
  /**
   * After a commit, selections are relative to that capture, {@link Baseline#PREVIOUS_CAPTURE}:
   * pages not written since are not copied.
   */
  SINCE_CAPTURE,
  /**
   * Trackers of private mappings whose hypervisor discards nothing ({@link GuestMemory#discards})
   * are {@link LiveTracker}s. Without it, no tracker is.
   */
  LIVE;

  /** Returns the name that people read, for example {@code since-capture}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
