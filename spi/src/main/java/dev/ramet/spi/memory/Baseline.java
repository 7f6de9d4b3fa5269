// SPDX-License-Identifier: Apache-2.0
package dev.ramet.spi.memory;

/** The memory image that a capture overlays. */
public enum Baseline {
  /** No image: the capture is complete in itself, and every page it does not write is zero. */
  NONE,
  /** The image the VM was restored from. */
  RESTORE_IMAGE,
  /** The previous capture of the same VM. */
  PREVIOUS_CAPTURE
}
