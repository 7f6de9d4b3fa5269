// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.snapshots;

/**
 * Why a capture did not use a preferred memory mode, or why the mode it did use could not continue
 * from the machine's previous capture.
 *
 * @param mode the mode's id
 * @param cause the kind of obstacle
 * @param detail a description for people
 */
public record ModeRefusal(String mode, Cause cause, String detail) {
  /** A kind of obstacle. */
  public enum Cause {
    /** This host cannot use the mode at all, because of its kernel, permissions or plugins. */
    UNUSABLE_HERE,
    /** The machine was booted, so there is no image to build on. */
    BOOTED,
    /** The mode refused this machine. */
    REFUSED,
    /** The snapshot whose memory image the mode would build on is gone. */
    BASE_GONE,
    /** The mode was tracking the machine, but can no longer tell what changed. */
    TRACKING_LOST,
    /** The mode was tracking the machine for a host process that has since ended. */
    HOST_RESTARTED,
    /** A capture failed after it had already discarded the record of earlier changes. */
    CAPTURE_FAILED,
    /** The previous capture used a mode that does not track. */
    OTHER_MODE
  }
}
