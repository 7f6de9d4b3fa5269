// SPDX-License-Identifier: Apache-2.0
package dev.ramet.engine.core;

import dev.ramet.engine.ModeRefusal;
import dev.ramet.engine.store.SnapshotRecord;

/**
 * Why it is not known what a machine wrote since its last capture: the next one, in a mode that
 * would know, is relative to what the machine was restored from instead. Immutable.
 *
 * @param cause what kind of reason it is
 * @param detail the reason, for people
 */
record Gap(ModeRefusal.Cause cause, String detail) {
  /** The process that knew it is gone, and with it what it knew. */
  static Gap afterRestart(SnapshotRecord last) {
    String mode = last.capture() == null ? "" : last.capture().mode();
    return ModeChain.TRACKING.contains(mode)
        ? new Gap(
            ModeRefusal.Cause.HOST_RESTARTED,
            "the host was started anew after the previous capture, " + last.id())
        : afterMode(mode, last.id());
  }

  /** A capture was taken whose tracker does not go on. */
  static Gap after(String mode, String snapshotId) {
    return ModeChain.TRACKING.contains(mode)
        ? new Gap(
            ModeRefusal.Cause.TRACKING_LOST,
            "tracking could not go on from the previous capture, " + snapshotId)
        : afterMode(mode, snapshotId);
  }

  private static Gap afterMode(String mode, String snapshotId) {
    return new Gap(
        ModeRefusal.Cause.OTHER_MODE,
        "the previous capture, " + snapshotId + ", was taken in mode " + mode);
  }

  /** A capture in another mode was begun, and did not come to be. */
  static Gap interrupted(String mode, String previous) {
    return new Gap(
        ModeRefusal.Cause.OTHER_MODE,
        "a capture in mode " + mode + " was begun after the previous one, " + previous);
  }

  /** A capture failed when the tracker had already let go of what was written until then. */
  static Gap failed(String previous) {
    return new Gap(
        ModeRefusal.Cause.CAPTURE_FAILED,
        "a capture after the previous one, " + previous + ", failed after its pages were read");
  }

  /** The tracker itself cannot tell any more. */
  static Gap lost(RuntimeException failure) {
    return new Gap(ModeRefusal.Cause.TRACKING_LOST, String.valueOf(failure.getMessage()));
  }
}
