// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine;

/**
 * A memory mode that goes before the one a capture was taken in, and why it was passed over; or
 * that mode itself, and why it could not go on from the machine's previous capture.
 *
 * @param mode its id
 * @param cause what kind of obstacle it was
 * @param detail the obstacle, for people
 */
public record ModeRefusal(String mode, Cause cause, String detail) {
  /** A kind of obstacle. */
  public enum Cause {
    /** This host cannot do it at all: kernel, permission or plugin. */
    UNUSABLE_HERE,
    /** The machine was booted, so there is no image to build on. */
    BOOTED,
    /** The mode refused this machine. */
    REFUSED,
    /** The snapshot whose memory image it would build on is gone. */
    BASE_GONE,
    /** It had tracked the machine, and does not know any more what changed. */
    TRACKING_LOST,
    /** It had tracked the machine for a host's process that has ended since. */
    HOST_RESTARTED,
    /** A capture failed when it had already let go of what changed before. */
    CAPTURE_FAILED,
    /** The previous capture was taken in a mode that does not track. */
    OTHER_MODE
  }
}
