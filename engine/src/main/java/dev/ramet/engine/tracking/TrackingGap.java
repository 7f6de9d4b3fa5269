// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.engine.ModeRefusal;

/**
 * Why it is not known what a machine wrote since its last capture: the next one, in a mode that
 * would know, is relative to what the machine was restored from instead. Immutable.
 *
 * @param cause what kind of reason it is
 * @param detail the reason, for people
 */
public record TrackingGap(ModeRefusal.Cause cause, String detail) {
  /**
   * The process that knew it is gone, and with it what it knew.
   *
   * @param mode of the last capture, or empty
   */
  public static TrackingGap afterRestart(String mode, String snapshotId) {
    return ModeChain.TRACKING.contains(mode)
        ? new TrackingGap(
            ModeRefusal.Cause.HOST_RESTARTED,
            "the host was started anew after the previous capture, " + snapshotId)
        : afterMode(mode, snapshotId);
  }

  /** A capture was taken whose tracker does not go on. */
  static TrackingGap after(String mode, String snapshotId) {
    return ModeChain.TRACKING.contains(mode)
        ? new TrackingGap(
            ModeRefusal.Cause.TRACKING_LOST,
            "tracking could not go on from the previous capture, " + snapshotId)
        : afterMode(mode, snapshotId);
  }

  private static TrackingGap afterMode(String mode, String snapshotId) {
    return new TrackingGap(
        ModeRefusal.Cause.OTHER_MODE,
        "the previous capture, " + snapshotId + ", was taken in mode " + mode);
  }

  /** A capture in another mode was begun, and did not come to be. */
  static TrackingGap interrupted(String mode, String previous) {
    return new TrackingGap(
        ModeRefusal.Cause.OTHER_MODE,
        "a capture in mode " + mode + " was begun after the previous one, " + previous);
  }

  /** A capture failed when the tracker had already let go of what was written until then. */
  static TrackingGap failed(String previous) {
    return new TrackingGap(
        ModeRefusal.Cause.CAPTURE_FAILED,
        "a capture after the previous one, " + previous + ", failed after its pages were read");
  }

  /** The tracker itself cannot tell any more. */
  static TrackingGap lost(RuntimeException failure) {
    return new TrackingGap(ModeRefusal.Cause.TRACKING_LOST, String.valueOf(failure.getMessage()));
  }
}
