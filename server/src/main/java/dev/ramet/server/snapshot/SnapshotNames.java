// SPDX-License-Identifier: Apache-2.0
package dev.ramet.server.snapshot;

import dev.ramet.engine.snapshots.Snapshot;

/** Finds snapshots by the names that clients give them. */
final class SnapshotNames {
  private SnapshotNames() {}

  /** Returns whether a snapshot has a name, name:tag or id. */
  static boolean matches(Snapshot snapshot, String name) {
    int colon = name.indexOf(':');
    if (colon < 0) {
      return name.equals(snapshot.name()) || name.equals(snapshot.id());
    }
    String base = name.substring(0, colon);
    String tag = name.substring(colon + 1);
    // For clients of the E2B protocol, an unnamed snapshot has its id as name and the tag default.
    return snapshot.name() == null
        ? base.equals(snapshot.id()) && tag.equals("default")
        : base.equals(snapshot.name()) && snapshot.tags().contains(tag);
  }
}
