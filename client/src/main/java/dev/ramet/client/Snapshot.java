// SPDX-License-Identifier: Apache-2.0
package dev.ramet.client;

import dev.ramet.api.snapshot.SnapshotInfo;
import dev.ramet.errors.RametException;

/** A snapshot: disk, memory and programs of a sandbox at one instant. Thread-safe. */
public final class Snapshot {
  private final Ramet ramet;
  private final String id;

  Snapshot(Ramet ramet, String id) {
    this.ramet = ramet;
    this.id = id;
  }

  /** Returns its id. */
  public String id() {
    return id;
  }

  /** Returns its current state from the host. */
  public SnapshotInfo info() {
    return ramet.http().get(path(), SnapshotInfo.class);
  }

  /** Starts a sandbox that continues from it. */
  public Sandbox start() {
    return ramet.create(id);
  }

  /**
   * Deletes it. Sandboxes created from it continue to run.
   *
   * @throws RametException NOT_FOUND if there is none
   */
  public void delete() {
    ramet.http().delete(path());
  }

  private String path() {
    return "/snapshots/" + Http.encode(id);
  }

  @Override
  public String toString() {
    return id;
  }
}
