// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.snapshots.CaptureReport;
import dev.ramet.engine.snapshots.NewSnapshot;
import dev.ramet.engine.snapshots.Snapshot;
import java.util.Objects;

/** The ids of memory modes, and captures in them. */
final class Modes {
  static final String TRACKING = "write-tracking";
  static final String SOFT_DIRTY = "soft-dirty";
  static final String INCREMENTAL = "incremental";
  static final String FULL = "full";

  private Modes() {}

  /** Takes a snapshot in the mode that the engine chooses. */
  static Snapshot snapshot(Ground ground, String sandbox) {
    return ground.engine().snapshots().create(sandbox, null);
  }

  /** Takes a snapshot in this mode; fails if the mode cannot do it. */
  static Snapshot forced(Ground ground, String sandbox, String mode) {
    return ground.engine().snapshots().create(NewSnapshot.named(sandbox, null).by(mode));
  }

  static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
  }
}
