// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.tracking;

import dev.ramet.engine.snapshots.ModeRefusal;

/**
 * Why it is unknown what a machine wrote since its last capture. The next capture in a tracking
 * mode is therefore relative to the image the machine was restored from. Immutable.
 *
 * @param cause the kind of reason
 * @param detail the reason, for people
 */
public record TrackingGap(ModeRefusal.Cause cause, String detail) {
  /**
   * Returns the gap after the host process that held the tracker has ended.
   *
   * @param tracks whether the mode of the last capture can continue from a capture
   * @param mode that mode, or empty
   */
  public static TrackingGap afterRestart(boolean tracks, String mode, String snapshotId) {
    return tracks
        ? new TrackingGap(
            ModeRefusal.Cause.HOST_RESTARTED,
            "the host was restarted after the previous capture, " + snapshotId)
        : afterMode(mode, snapshotId);
  }

  /** Returns the gap after a capture whose tracker cannot continue. */
  static TrackingGap afterCapture(OpenMode mode, String snapshotId) {
    return mode.facts().sinceCapture()
        ? new TrackingGap(
            ModeRefusal.Cause.TRACKING_LOST,
            "tracking could not continue from the previous capture, " + snapshotId)
        : afterMode(mode.id(), snapshotId);
  }

  private static TrackingGap afterMode(String mode, String snapshotId) {
    return new TrackingGap(
        ModeRefusal.Cause.OTHER_MODE,
        "the previous capture, " + snapshotId + ", was taken in mode " + mode);
  }

  /** Returns the gap after a capture in another mode was begun but not completed. */
  static TrackingGap interrupted(String mode, String previous) {
    return new TrackingGap(
        ModeRefusal.Cause.OTHER_MODE,
        "a capture in mode " + mode + " was begun after the previous one, " + previous);
  }

  /**
   * Returns the gap after a capture failed when the tracker had already discarded earlier changes.
   */
  static TrackingGap ofFailure(String previous) {
    return new TrackingGap(
        ModeRefusal.Cause.CAPTURE_FAILED,
        "a capture after the previous one, " + previous + ", failed after its pages were read");
  }

  /** Returns the gap after the tracker itself failed. */
  static TrackingGap trackerFailed(RuntimeException failure) {
    return new TrackingGap(ModeRefusal.Cause.TRACKING_LOST, String.valueOf(failure.getMessage()));
  }
}
