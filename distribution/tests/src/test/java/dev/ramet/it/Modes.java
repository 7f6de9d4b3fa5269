// SPDX-License-Identifier: Apache-2.0
package dev.ramet.it;

import dev.ramet.engine.CaptureReport;
import dev.ramet.engine.NewSnapshot;
import dev.ramet.engine.Snapshot;
import java.util.Objects;

/** Memory modes by their ids, and captures in them. */
final class Modes {
  static final String TRACKING = "write-tracking";
  static final String SOFT_DIRTY = "soft-dirty";
  static final String INCREMENTAL = "incremental";
  static final String FULL = "full";

  private Modes() {}

  /** A snapshot in the mode that the engine chooses. */
  static Snapshot snapshot(Ground ground, String sandbox) {
    return ground.engine().snapshots().create(sandbox, null);
  }

  /** A snapshot in this mode or none. */
  static Snapshot forced(Ground ground, String sandbox, String mode) {
    return ground.engine().snapshots().create(new NewSnapshot(sandbox, null, null, mode, true));
  }

  static CaptureReport report(Snapshot snapshot) {
    return Objects.requireNonNull(snapshot.capture());
  }
}
